import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readRegressions } from './corpus/regression-files.ts';
import { loadTarget } from './targets/targets.ts';

/** Far above the fuzzer's own limit of one second of work: this timeout catches only endless loops. */
const TIMEOUT_MS = 60_000;

/** The engine as it is: not instrumented, and on the real file system. */
describe('cases that once failed end as the engine promises', () => {
  for (const { name, targetName, input } of readRegressions()) {
    test(name, { timeout: TIMEOUT_MS }, async () => {
      const target = await loadTarget(targetName);
      const workDir = await mkdtemp(join(tmpdir(), 'audiosplit-fuzz-'));
      try {
        await target.run(input, workDir);
      } finally {
        await rm(workDir, { recursive: true, force: true });
      }
    });
  }
});
