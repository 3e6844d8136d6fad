/**
 * Groups test files, so that a run is not mostly the starts of processes. The files of a group share one process and
 * run one after the other; every other file has a process of its own.
 *
 * A folder is a group where its tests are short and many, or where it has to start early. Starting a process and loading
 * the code costs as much as the tests of one file do, and what tests make once for a process, such as encoded sources, is
 * made once for the group. Timed tests are a group of their own, so that no two of them run at the same time.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../../deploy/launcher.mjs';

/** Files whose assertions depend on how long things take. */
const TIMED =
  /\/(constant-time|load-shedding|lean-transport|lean-transport\/wire|managed-process|availability|guarded-egress\.limits)\.test\.ts$/;
/** Folders and single files, in the order in which they start: the longest first, so that none runs alone at the end. */
const GROUPS = [
  'clients/engine/src/convert',
  'clients/engine/src/copy',
  'clients/engine/src/sandbox',
  'clients/engine/src',
  'tests/product',
  'clients/engine/suites/hostile',
  'services/splitter/suites/hostile',
  'services/jobs',
  'gateway',
  'services/splitter/src/engine-thread/engine-threads.faults.test.ts',
  'clients/engine/suites/properties',
  'services/splitter/suites/properties',
  'services/billing',
  'services/chassis',
  'clients/engine/fuzz',
  'deploy',
  'services/account',
  'services/webhooks',
  'services/auth',
  'services/splitter/src/work',
  'services/splitter/src/source',
  'clients',
  'load-tests',
  'tests/chaos',
  'tests/chart',
  'tests/drills',
  'tests/kubernetes',
  'tests/architecture',
  'tests/harness',
  'proto',
];

/** Paths for node's runner: files that import those of a group, written to `folder`, and the files of no group. */
export async function groupTestFiles(files: readonly string[], folder: string): Promise<readonly string[]> {
  const groups = Map.groupBy(files, groupOf);
  const single = groups.get(undefined) ?? [];
  groups.delete(undefined);
  const grouped = await Promise.all(
    [...groups].map(async ([name, members]) => {
      // The runner starts files in the order of their names. The timed group has no rank, and is the first.
      const rank = String(GROUPS.indexOf(String(name)) + 1).padStart(2, '0');
      const path = join(folder, `${rank}-${String(name).replaceAll('/', '-')}.test.mjs`);
      await writeTestGroup(path, members);
      return path;
    }),
  );
  return [...grouped, ...single];
}

/**
 * Makes one test file of several: their tests run in one process, one file after the other. The first test waits until
 * all files are loaded, which would hold up its timers.
 */
export async function writeTestGroup(path: string, members: readonly string[]): Promise<void> {
  const urls = members.map((member) => pathToFileURL(resolve(repositoryRoot, member)).href);
  await writeFile(
    path,
    `import { before } from 'node:test';
const loaded = Promise.withResolvers();
before(() => loaded.promise);
try {
${urls.map((url) => `  await import(${JSON.stringify(url)});\n`).join('')}} finally {
  loaded.resolve();
}
`,
  );
}

function groupOf(file: string): string | undefined {
  if (TIMED.test(file)) return 'timed';
  return GROUPS.find((group) => file === group || file.startsWith(`${group}/`));
}
