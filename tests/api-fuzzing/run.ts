/**
 * Starts the product and runs schemathesis over everything that /openapi.json describes, as schemathesis.toml
 * configures. Exits with 1 when it has found something. Every run is the same, except with `--seed`.
 */
import { availableParallelism, loadavg } from 'node:os';
import { namedLike } from '../../deploy/provision/command-line.ts';
import { argument, whole } from '../../deploy/provision/options.ts';
import { reportedTask, reportTo, seconds } from '../../deploy/provision/progress.ts';
import { command } from '../harness/command/command.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { openFuzzedAccount, startFuzzedInstallation } from './installation.ts';
import { runPass } from './pass-run.ts';
import { operationsOf, PASSES, type Pass } from './passes.ts';
import { provideSchemathesis } from './schemathesis.ts';

const OPTIONS = {
  passes: argument('[WORDS]', 'only passes whose names contain any of these'),
  examples: whole({ least: 1, most: 100_000 }, 30, 'generated requests per operation and phase'),
  seed: whole({ least: 0, most: 2 ** 53 }, undefined, 'go another way than the one that is always the same'),
};

const report = reportTo(process.stderr);

await command({ command: 'npm run verify -- schema', options: OPTIONS }, async (values, signal) => {
  const python = await provideSchemathesis(reportedTask('python', report, signal));
  await using folder = await temporaryFolder();
  await using installation = await startFuzzedInstallation();
  const answer = await fetch(`${installation.baseUrl}/openapi.json`);
  const operations = operationsOf((await answer.json()) as Parameters<typeof operationsOf>[0]);
  const left = operations.filter((operation) => !PASSES.some((pass) => pass.takes(operation)));
  if (left.length > 0)
    throw new Error(`no pass takes ${left.map(({ operationId }) => operationId).join(', ')}`);

  const { examples, seed } = values;
  const chosenSeed = seed === undefined ? ['--generation-deterministic'] : ['--seed', String(seed)];
  const goOver = async (pass: Pass, account: string) => {
    const startedMs = performance.now();
    report('fuzzing', `as ${pass.name} …`);
    const ids = operations.filter((operation) => pass.takes(operation)).map(({ operationId }) => operationId);
    const verdict = await runPass({
      command: python,
      pass,
      account: await openFuzzedAccount(installation, account),
      baseUrl: installation.baseUrl,
      options: [
        ...['--max-examples', String(examples), ...chosenSeed],
        ...ids.flatMap((id) => ['--include-operation-id', id]),
      ],
      folder: folder.path,
      signal,
    });
    const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
    report('fuzzing', `as ${pass.name}: ${verdict.kind} in ${seconds(startedMs)}, ${load}`);
    return verdict;
  };
  const failed: string[] = [];
  for (const pass of namedLike(PASSES, values.passes?.split(' ') ?? [], ({ name }) => name, 'pass')) {
    let verdict = await goOver(pass, pass.account);
    // A slow endpoint is slow again on the second run; a busy machine usually is not.
    if (verdict.kind === 'slow') verdict = await goOver(pass, `${pass.account}-again`);
    if (verdict.kind !== 'clean') failed.push(pass.name);
  }
  if (failed.length > 0) report('fuzzing', `something was found as ${failed.join(', ')}`);
  return { isFine: failed.length === 0 };
});
