/**
 * Starts the product and has schemathesis go over everything that /openapi.json describes, as schemathesis.toml says.
 * Leaves with 1 when it has found something. The same every time, but for `--seed`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { namedLike } from '../../deploy/provision/command-line.ts';
import { explainFailure } from '../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { reportedTask, reportTo, seconds } from '../../deploy/provision/progress.ts';
import { type FuzzedInstallation, startFuzzedInstallation } from './installation.ts';
import { runPass } from './pass-run.ts';
import { type Operation, operationsOf, PASSES, type Pass } from './passes.ts';
import { provideSchemathesis } from './schemathesis.ts';

const HELP = `Usage: npm run verify -- schema [options] [passes whose names contain any of these words]

  --examples N   generated requests per operation and phase (30)
  --seed N       go another way than the one that is always the same
`;

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '30' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
const report = reportTo(process.stderr);
try {
  if (values.help) process.stdout.write(HELP);
  else process.exitCode = await fuzz();
} catch (thrown) {
  // Whatever else comes of it, that is what has happened.
  const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}

async function fuzz(): Promise<number> {
  const command = await provideSchemathesis(reportedTask('python', report, interruption.signal));
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-schemathesis-'));
  try {
    await using installation = await startFuzzedInstallation();
    const answer = await fetch(`${installation.baseUrl}/openapi.json`);
    const operations = operationsOf((await answer.json()) as Parameters<typeof operationsOf>[0]);
    const left = operations.filter((operation) => !PASSES.some((pass) => pass.takes(operation)));
    if (left.length > 0) {
      throw new Error(`no pass takes ${left.map(({ operationId }) => operationId).join(', ')}`);
    }
    const chosen = namedLike(PASSES, words, ({ name }) => name, 'pass');
    const failed: string[] = [];
    for (const pass of chosen) {
      if (!(await passes(pass, operations, command, installation, folder))) failed.push(pass.name);
    }
    if (failed.length > 0) report('fuzzing', `something was found as ${failed.join(', ')}`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Resolves with whether nothing was found. Where answers were too slow and nothing else was wrong, the same requests
 * are made once more: a slow endpoint is slow again on the second run; a busy machine usually is not.
 */
async function passes(
  pass: Pass,
  operations: readonly Operation[],
  command: readonly [string, ...string[]],
  { baseUrl, openAccount }: FuzzedInstallation,
  folder: string,
): Promise<boolean> {
  const goOver = async (selection: readonly string[], account: string) => {
    const startedMs = performance.now();
    report('fuzzing', `as ${pass.name} …`);
    const verdict = await runPass({
      ...{ command, pass, baseUrl, selection, folder },
      account: await openAccount(account),
      generation: [
        ...['--max-examples', values.examples],
        ...(values.seed === undefined ? ['--generation-deterministic'] : ['--seed', values.seed]),
      ],
      signal: interruption.signal,
    });
    const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
    report('fuzzing', `as ${pass.name}: ${verdict.kind} in ${seconds(startedMs)}, ${load}`);
    return verdict;
  };
  const ids = operations.filter((operation) => pass.takes(operation)).map(({ operationId }) => operationId);
  const all = ids.flatMap((id) => ['--include-operation-id', id]);
  const verdict = await goOver(all, pass.account);
  if (verdict.kind !== 'slow') return verdict.kind === 'clean';
  return (await goOver(all, `${pass.account}-again`)).kind === 'clean';
}
