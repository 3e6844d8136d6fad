import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, sourceFlags } from '../../../deploy/launcher.mjs';

interface TestBounds {
  readonly concurrency: number;
  /** Both limits only stop tests that hang; they state no expectation. */
  readonly testTimeoutMs: number;
  readonly fileTimeoutMs: number;
}

/** Flags for node's test runner. */
export function testFlags({ concurrency, testTimeoutMs, fileTimeoutMs }: TestBounds): readonly string[] {
  const endOfFile = pathToFileURL(join(repositoryRoot, 'tests/harness/runner/end-of-file.mjs'));
  endOfFile.searchParams.set('timeoutMs', String(fileTimeoutMs));
  return [
    ...sourceFlags,
    `--import=${endOfFile}`,
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${testTimeoutMs}`,
  ];
}
