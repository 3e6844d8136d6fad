/**
 * Clones HEAD into a new folder and runs the acceptance tests against it: black box, through processes, HTTP and files
 * alone. The files share one product and one process, but for those of OWN_STARTS, which run one after the other.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Env } from '@audiosplit/chassis/process/env';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { explainFailure } from '../../deploy/provision/explain-failure.ts';
import { Interrupted } from '../../deploy/provision/interruption.ts';
import { openContainers } from '../harness/installation/as-a-user/compose.ts';
import { CONTAINERS_VARIABLE } from '../harness/installation/as-a-user/containers-under-test.ts';
import { openUpFolder } from '../harness/installation/as-a-user/npm-up.ts';
import { UP_FOLDER_VARIABLE } from '../harness/installation/as-a-user/start-as-user.ts';
import { testFlags } from '../harness/runner/test-flags.ts';
import { writeTestGroup } from '../harness/runner/test-groups.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { type Checkout, makeCheckout, uncommittedChanges } from './checkout.ts';

const HELP = `Usage: npm run verify -- acceptance [options] [files whose names contain any of these words]

  --install          install in the clone from scratch, as a newcomer's first \`npm start\` does
  --distributed      test the separate processes of \`npm run up\` on real engines instead of \`npm start\`
  --containers       test the containers of \`npm run compose\`; Docker Engine is started where none runs, which takes root
  --here             test this folder as it stands, uncommitted changes included, instead of a clone
`;

/** Files that start products of their own, each with the reason why containers are not tested by it. */
const OWN_STARTS: Readonly<Record<string, string>> = {
  configuration: 'the launchers refuse settings before they start anything; here each process reads its own',
  'first-steps': 'npm start prints commands and serves the sample that they split; here nothing prints any',
  survival:
    'it kills and restarts what npm start and npm run up have started; here that is for the engine to do',
};

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
    .filter((path) => !values.containers || !startsItsOwn(path))
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
  await using up = await openUpFolder(checkout.root);
  return await runTests(files, { ACCEPTANCE_ROOT: checkout.root, [UP_FOLDER_VARIABLE]: up.dataDir });
}

async function runInContainers(root: string, files: readonly string[]): Promise<number> {
  for (const [name, reason] of Object.entries(OWN_STARTS)) {
    process.stderr.write(`Left out of containers: ${name}.acceptance.ts (${reason}).\n`);
  }
  await using containers = await openContainers(root);
  await using folder = await temporaryFolder();
  const failures = join(folder.path, 'failures.txt');
  const env = { ACCEPTANCE_ROOT: root, [CONTAINERS_VARIABLE]: JSON.stringify(containers.underTest) };
  const code = await runTests(files, env, [...reportTo('spec', 'stdout'), ...reportTo(FAILURES, failures)]);
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

function startsItsOwn(path: string): boolean {
  return basename(path, '.acceptance.ts') in OWN_STARTS;
}

function thisFolder(): Checkout {
  return { root: repositoryRoot, [Symbol.asyncDispose]: async () => undefined };
}

async function runTests(
  files: readonly string[],
  env: Env,
  reporters: readonly string[] = [],
): Promise<number> {
  await using folder = await temporaryFolder();
  const sharing = files.filter((path) => !startsItsOwn(path));
  const group = join(folder.path, 'sharing.test.mjs');
  await writeTestGroup(group, sharing);
  const paths = [...(sharing.length > 0 ? [group] : []), ...files.filter(startsItsOwn)];
  // Last bounds for what hangs; each scenario has a tighter one of its own.
  const bounds = { concurrency: 1, testTimeoutMs: 600_000, fileTimeoutMs: 900_000 };
  const child = spawn(process.execPath, [...testFlags(bounds), ...reporters, ...paths], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
