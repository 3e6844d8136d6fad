import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { DAWDLE_MS } from '../testing/planted-targets.ts';
import type { Finding } from './finding.ts';
import { SETTINGS_BYTES } from './fuzz-case.ts';
import { type SuperviseOptions, supervise } from './supervise.ts';
import { createWorkDir } from './work-dir.ts';

const EXECUTIONS = 2_000;
/** The number of executions for targets of which each finding costs a thread. */
const FEW_EXECUTIONS = 60;
const targetsUrl = new URL('../testing/planted-targets.ts', import.meta.url).href;

interface Run {
  readonly findings: readonly Finding[];
  readonly executions: readonly (readonly [string, number])[];
}

type Limits = Pick<SuperviseOptions, 'hangCpuMs' | 'hangWallMs' | 'maxHeapMb'>;

async function fuzz(
  targetNames: readonly string[],
  limits: Limits = {},
  executions = EXECUTIONS,
): Promise<Run> {
  const workDir = createWorkDir();
  const findings: Finding[] = [];
  const done: [string, number][] = [];
  try {
    await supervise({
      tasks: targetNames.map((targetName) => ({ targetName, executions, seed: 1 })),
      workDir,
      targetsUrl,
      ...limits,
      onFinding: (finding) => findings.push(finding),
      onProgress: () => undefined,
      onTaskEnd: (targetName, counts) => done.push([targetName, counts.executions]),
    });
    return { findings, executions: done };
  } finally {
    rmSync(workDir, { recursive: true });
  }
}

function sourceOf({ input }: Finding): string {
  return Buffer.from(input).toString('latin1', SETTINGS_BYTES);
}

test('errors, rejections and large allocations are found, each once, and reduced', async () => {
  const { findings, executions } = await fuzz(['harmless', 'throws', 'rejects', 'allocates']);
  assert.deepEqual(
    findings.map(({ target, kind }) => [target, kind]),
    [
      ['throws', 'error'],
      ['rejects', 'unhandled rejection'],
      ['allocates', 'limit'],
    ],
  );
  assert.equal(findings[0] && sourceOf(findings[0]), 'magic');
  assert.deepEqual(
    executions.map(([name]) => name),
    ['harmless', 'throws', 'rejects', 'allocates'],
  );
  assert.ok(executions.every(([, count]) => count >= EXECUTIONS));
});

test('the same seed gives the same findings', async () => {
  const [first, second] = [await fuzz(['throws']), await fuzz(['throws'])];
  assert.deepEqual(second, first);
});

test('a case that burns processor time is found, and the targets after it still run', async () => {
  const { findings, executions } = await fuzz(['hangs', 'harmless'], { hangCpuMs: 300 }, FEW_EXECUTIONS);
  assertHangs(findings, 'hangs', /processor time/);
  assert.deepEqual(
    executions.map(([name]) => name),
    ['hangs', 'harmless'],
  );
});

test('a case that waits forever is found, although it uses no processor time', async () => {
  const { findings } = await fuzz(['waits'], {}, FEW_EXECUTIONS);
  assertHangs(findings, 'waits', /waits for nothing/);
  const locked = await fuzz(['locks'], { hangWallMs: 1_500 }, FEW_EXECUTIONS);
  // If the machine stalls for a while, harmless cases seem to wait too.
  assert.ok(locked.findings.some((finding) => sourceOf(finding).includes('magic')));
});

test('a case that is slow only by the clock is no finding', async () => {
  const { findings, executions } = await fuzz(['dawdles'], { hangCpuMs: DAWDLE_MS / 3 }, FEW_EXECUTIONS);
  assert.deepEqual(findings, []);
  assert.ok(executions.every(([, count]) => count >= FEW_EXECUTIONS));
});

function assertHangs(findings: readonly Finding[], target: string, detail: RegExp): void {
  assert.ok(findings.length > 0);
  for (const finding of findings) {
    assert.deepEqual([finding.target, finding.kind], [target, 'hang']);
    assert.ok(sourceOf(finding).includes('magic'));
    assert.match(finding.detail, detail);
  }
}

test('a case that exhausts the memory ends only its thread', async () => {
  const { findings, executions } = await fuzz(['bloats', 'harmless'], {
    maxHeapMb: 40,
    hangCpuMs: 600_000,
    hangWallMs: 600_000,
  });
  assert.ok(findings.length > 0);
  for (const finding of findings) {
    assert.equal(finding.kind, 'memory');
    assert.ok(sourceOf(finding).includes('magic'));
  }
  assert.ok(executions.some(([name, count]) => name === 'harmless' && count >= EXECUTIONS));
});
