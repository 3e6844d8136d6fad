/**
 * Clones HEAD into a new folder and runs the acceptance tests against it: black box, through processes, HTTP
 * and files alone. A product is started per test file, one file at a time; with --distributed and --containers there is
 * one for all of them, see distributed-product.ts and containers.ts.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Env } from '@audiosplit/chassis/process/env';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { explainFailure } from '../../deploy/provision/explain-failure.ts';
import { Interrupted } from '../../deploy/provision/interruption.ts';
import { type Checkout, makeCheckout, uncommittedChanges } from '../harness/product/checkout.ts';
import { openContainers } from '../harness/product/containers.ts';
import { CONTAINERS_VARIABLE, LEFT_OUT_OF_CONTAINERS } from '../harness/product/containers-under-test.ts';
import { openInstallation } from '../harness/product/suite-installation.ts';
import { temporaryFolder } from '../harness/product/temporary-folder.ts';
import { testFlags } from '../harness/runner/test-flags.ts';

const HELP = `Usage: npm run verify -- acceptance [options] [files whose names contain any of these words]

  --install          install in the clone from scratch, as a newcomer's first \`npm start\` does
  --distributed      test the separate processes of \`npm run up\` on real engines instead of \`npm start\`
  --containers       test the containers of \`npm run compose\`; Docker Engine is started where none runs, which takes root
  --here             test this folder as it stands, uncommitted changes included, instead of a clone
`;

const FAILURES = pathToFileURL(join(import.meta.dirname, 'failures-reporter.ts')).href;

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    install: { type: 'boolean', default: false },
    distributed: { type: 'boolean', default: false },
    containers: { type: 'boolean', default: false },
    here: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

try {
  if (values.help) process.stdout.write(HELP);
  else process.exitCode = await runAcceptance();
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}

async function runAcceptance(): Promise<number> {
  const files = globSync('*.acceptance.ts', { cwd: import.meta.dirname })
    .filter((path) => !values.containers || !isLeftOutOfContainers(path))
    .filter((path) => words.length === 0 || words.some((word) => basename(path).includes(word)))
    .sort()
    .map((path) => join(import.meta.dirname, path));
  if (files.length === 0) {
    process.stderr.write(`No acceptance file is named like ${words.join(', ')}.\n`);
    return 2;
  }
  if (!values.here && uncommittedChanges() > 0) {
    process.stderr.write(
      `Testing HEAD; ${uncommittedChanges()} uncommitted changes are left out (--here takes them in).\n`,
    );
  }
  await using checkout = values.here ? thisFolder() : await makeCheckout({ install: values.install });
  if (values.containers) return await runInContainers(checkout.root, files);
  if (!values.distributed) return await runTests(files, { ACCEPTANCE_ROOT: checkout.root });
  await using installation = await openInstallation(checkout.root);
  return await runTests(files, {
    ACCEPTANCE_ROOT: checkout.root,
    ACCEPTANCE_INSTALLATION: installation.dataDir,
  });
}

async function runInContainers(root: string, files: readonly string[]): Promise<number> {
  for (const [name, reason] of Object.entries(LEFT_OUT_OF_CONTAINERS)) {
    process.stderr.write(`Left out of containers: ${name}.acceptance.ts (${reason}).\n`);
  }
  await using containers = await openContainers(root);
  const folder = await temporaryFolder();
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  const failures = join(folder, 'failures.txt');
  const told = { ACCEPTANCE_ROOT: root, [CONTAINERS_VARIABLE]: JSON.stringify(containers.underTest) };
  const code = await runTests(files, told, [...reportTo('spec', 'stdout'), ...reportTo(FAILURES, failures)]);
  const faults = await containers.stop();
  if (code === 0 && faults.length === 0) return 0;
  await containers.showLogs();
  // Once more, as the logs are long and the end is what is read, and often all that is kept.
  const failed = await readFile(failures, 'utf8');
  process.stderr.write(`\nWhat failed:\n\n${failed}${faults.map((fault) => `${fault}\n`).join('')}`);
  return code === 0 ? 1 : code;
}

function reportTo(reporter: string, destination: string): readonly string[] {
  return [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`];
}

function isLeftOutOfContainers(path: string): boolean {
  return basename(path, '.acceptance.ts') in LEFT_OUT_OF_CONTAINERS;
}

function thisFolder(): Checkout {
  return { root: repositoryRoot, [Symbol.asyncDispose]: async () => undefined };
}

function runTests(files: readonly string[], told: Env, reporters: readonly string[] = []): Promise<number> {
  // A last bound for a file that hangs; each scenario has a tighter one of its own.
  const bounds = { concurrency: 1, testTimeoutMs: 600_000, fileTimeoutMs: 900_000 };
  const args = [...testFlags(bounds), ...reporters, ...files];
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...told },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
