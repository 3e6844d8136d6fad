/**
 * Clones HEAD into a new folder and runs the acceptance tests against it as a black box, only through
 * processes, HTTP and files. The files share one product and one process, except those of OWN_STARTS, which
 * run one after the other.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Env } from '@audiosplit/chassis/process/env';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { namedLike } from '../../deploy/provision/command-line.ts';
import { argument, flag, type Values } from '../../deploy/provision/options.ts';
import { command } from '../harness/command/command.ts';
import { openContainers } from '../harness/installation/as-a-user/compose.ts';
import { CONTAINERS_VARIABLE } from '../harness/installation/as-a-user/containers-under-test.ts';
import { openUpFolder } from '../harness/installation/as-a-user/npm-up.ts';
import { UP_FOLDER_VARIABLE } from '../harness/installation/as-a-user/start-as-user.ts';
import { runNode } from '../harness/runner/run-node.ts';
import { testFlags } from '../harness/runner/test-flags.ts';
import { writeTestGroup } from '../harness/runner/test-groups.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { makeCheckout, uncommittedChanges } from './checkout.ts';

const OPTIONS = {
  files: argument('[WORDS]', 'only files whose names contain any of these'),
  install: flag("install in the clone from scratch, as a newcomer's first `npm start` does"),
  distributed: flag('test the separate processes of `npm run up` on real engines instead of `npm start`'),
  containers: flag('test the containers of `npm run compose`; starts Docker Engine where none runs, as root'),
  here: flag('test this folder as it stands, uncommitted changes included, instead of a clone'),
};

/** Files that start their own products, each with the reason why it does not test containers. */
const OWN_STARTS: Readonly<Record<string, string>> = {
  configuration: 'the launchers refuse settings before they start anything; here each process reads its own',
  'first-steps': 'npm start prints commands and serves the sample that they split; here nothing prints any',
  survival:
    'it kills and restarts what npm start and npm run up have started; here that is for the engine to do',
};

const FAILURES = pathToFileURL(join(import.meta.dirname, 'failures-reporter.ts')).href;

await command({ command: 'npm run verify -- acceptance', options: OPTIONS }, async (values) => ({
  isFine: (await runAcceptance(values)) === 0,
}));

async function runAcceptance(values: Values<typeof OPTIONS>): Promise<number> {
  const all = globSync('*.acceptance.ts', { cwd: import.meta.dirname }).filter(
    (path) => !values.containers || !startsItsOwn(path),
  );
  const words = values.files?.split(' ') ?? [];
  const files = namedLike(all.sort(), words, (path) => path, 'acceptance file').map((path) =>
    join(import.meta.dirname, path),
  );
  const changes = values.here ? 0 : uncommittedChanges();
  if (changes > 0)
    process.stderr.write(
      `Testing HEAD; ${changes} uncommitted changes are left out (--here takes them in).\n`,
    );
  await using checkout = values.here ? undefined : await makeCheckout({ install: values.install });
  const root = checkout?.root ?? repositoryRoot;
  if (values.containers) return await runInContainers(root, files);
  if (!values.distributed) return await runTests(files, { ACCEPTANCE_ROOT: root });
  await using up = await openUpFolder(root);
  return await runTests(files, { ACCEPTANCE_ROOT: root, [UP_FOLDER_VARIABLE]: up.dataDir });
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
  // Printed again at the end, because logs are long and often only their end is read or kept.
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
  // Upper bounds for tests that hang; each scenario has a lower timeout.
  const bounds = { concurrency: 1, testTimeoutMs: 600_000, fileTimeoutMs: 900_000 };
  return await runNode([...testFlags(bounds), ...reporters, ...paths], { ...process.env, ...env });
}
