/**
 * Fuzzes the walkers and parsers of the splitting engine, guided by coverage.
 *
 *   npm run verify -- fuzz [--target all|<name>,…] [--executions 1000000] [--seed 1]
 *
 * Executions are shared out evenly. Every target has hand-made seeds and a grammar (fields, parts, checksums);
 * its engine modules count their branches (see engine/instrument.ts), and mutants that reach something new are
 * mutated further. An execution must end in a result whose segments add up, or in one of the refusals that the
 * interface names: within a second of CPU time, 64 MB of buffers and 1,000 reads of files, without an unhandled
 * rejection. What does not is a finding: it is made smaller, written to corpus/regressions/, where `npm test`
 * replays it from then on, and printed with what it takes to see it again. Ends with 1 where there is one.
 *
 * A case that does not end is given up after ten seconds of processor time, so that a busy machine makes no
 * findings, or after five minutes by the clock if it waits.
 *
 * `--replay <file>` runs one such file on the engine as it is, without counters or limits.
 *
 * Jazzer.js, the libFuzzer binding for Node, was tried first (4.0.0): its loader passes over modules whose types Node
 * strips, and its prebuilt library asks for a newer glibc than Debian 12 has. V8's own block coverage was measured,
 * too; it slowed the parsers to a quarter, the counters here cost them a fifth.
 */
import { readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { saveRegression } from './corpus/regression-files.ts';
import type { Finding } from './engine/finding.ts';
import { createProgress } from './engine/progress.ts';
import { supervise } from './engine/supervise.ts';
import { createWorkDir } from './engine/work-dir.ts';
import { loadTarget, TARGET_NAMES } from './targets/targets.ts';

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'all' },
    executions: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    replay: { type: 'string' },
  },
});

const workDir = createWorkDir();
process.once('exit', () => rmSync(workDir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = values.replay === undefined ? await fuzz() : await replay(values.replay);

async function fuzz(): Promise<number> {
  const names = values.target === 'all' ? TARGET_NAMES : values.target.split(',');
  const executions = Math.ceil(Number(values.executions) / names.length);
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(executions) || !Number.isSafeInteger(seed))
    throw new Error('a number is expected');
  print(`${names.length} targets, ${executions} executions each, --seed ${seed}`);
  let findingCount = 0;
  const startMs = performance.now();
  const progress = createProgress(print);
  await supervise({
    tasks: names.map((targetName) => ({ targetName, executions, seed })),
    workDir,
    onFinding(finding) {
      findingCount += 1;
      printFinding(finding);
    },
    onProgress: (task, counts) => progress.update(task.targetName, task.executions, counts),
    onTaskEnd: (targetName, counts) => progress.end(targetName, counts),
  });
  print(`${findingCount} findings in ${Math.round((performance.now() - startMs) / 1000)} s`);
  return findingCount === 0 ? 0 : 1;
}

function printFinding(finding: Finding): void {
  const path = saveRegression(finding);
  print(
    `FINDING ${finding.target}: ${finding.kind}, --seed ${finding.seed}, execution ${finding.execution}, ${path}`,
  );
  print(finding.detail.split('\n').slice(0, 6).join('\n'));
}

async function replay(path: string): Promise<number> {
  const name = basename(path);
  const target = await loadTarget(name.slice(0, name.lastIndexOf('-')));
  await target.run(readFileSync(path), workDir);
  print(`${name} is in order`);
  return 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
