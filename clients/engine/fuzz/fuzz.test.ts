import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { test } from 'node:test';
import type { Finding } from './engine/finding.ts';
import { supervise } from './engine/supervise.ts';
import { createWorkDir } from './engine/work-dir.ts';
import { TARGET_NAMES } from './targets/targets.ts';

/** Enough to run every seed and some hundred mutants of each target; `npm run verify -- fuzz` runs more. */
const EXECUTIONS_PER_TARGET = 400;
const SEED = 1;

test(`${EXECUTIONS_PER_TARGET} executions of every target end as the engine promises (--seed ${SEED})`, async () => {
  const workDir = createWorkDir();
  const findings: Finding[] = [];
  const executions = new Map<string, number>();
  try {
    await supervise({
      tasks: TARGET_NAMES.map((targetName) => ({
        targetName,
        executions: EXECUTIONS_PER_TARGET,
        seed: SEED,
      })),
      workDir,
      onFinding: (finding) => findings.push(finding),
      onProgress: () => undefined,
      onTaskEnd: (targetName, counts) => executions.set(targetName, counts.executions),
    });
    assert.deepEqual(findings.map(toText), []);
    assert.deepEqual([...executions.keys()], TARGET_NAMES);
    assert.ok([...executions.values()].every((count) => count >= EXECUTIONS_PER_TARGET));
    assert.deepEqual(await readdir(workDir), []);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
});

/** The input follows in base64, to be stored in corpus/regressions/. */
function toText({ target, kind, detail, execution, input }: Finding): string {
  return `${target}, execution ${execution}: ${kind}: ${detail}\n${Buffer.from(input).toString('base64')}`;
}
