import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, sourceFlags } from '../../../deploy/launcher.mjs';

export interface TestBounds {
  readonly concurrency: number;
  readonly testTimeoutMs: number;
  readonly fileTimeoutMs: number;
}

/** Flags for node's test runner. Both limits are last bounds for what hangs, not expectations. */
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
