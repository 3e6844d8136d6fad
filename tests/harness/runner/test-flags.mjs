import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, sourceFlags } from '../../../deploy/launcher/install.mjs';

/**
 * Flags for node's test runner. Both limits are last bounds for what hangs, not expectations.
 * @param {{ concurrency: number, testTimeoutMs: number, fileTimeoutMs: number }} bounds
 */
export function testFlags({ concurrency, testTimeoutMs, fileTimeoutMs }) {
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
