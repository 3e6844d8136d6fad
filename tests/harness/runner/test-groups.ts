/**
 * Groups test files, so that a run does not mostly start processes. The files of a group share one process
 * and run one after the other; every other file has its own process.
 *
 * A folder is a group if its tests are short and many, or if it must start early. Starting a process and
 * loading the code costs as much as the tests of one file, and values that tests make once per process, such
 * as encoded sources, are made once for the group. Timed tests are a separate group, so that no two of them
 * run at the same time.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../../deploy/launcher.mjs';

/** Files whose assertions depend on timing. */
const TIMED =
  /\/(constant-time|load-shedding|lean-transport|lean-transport\/wire|managed-process|availability|guarded-egress\.limits)\.test\.ts$/;
/**
 * Folders and single files, in the order in which they start: the longest first, so that none runs alone at
 * the end.
 */
const GROUPS = [
  'clients/engine/src/convert',
  'clients/engine/src/copy',
  'clients/engine/src/planned',
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
  'tests/n8n',
  'tests/architecture',
  'tests/harness',
  'proto',
];

/**
 * Returns paths for node's runner: one file in `folder` for each group, which imports the group's files, and
 * the files that are in no group.
 */
export async function groupTestFiles(files: readonly string[], folder: string): Promise<readonly string[]> {
  const groups = Map.groupBy(files, groupOf);
  const single = groups.get(undefined) ?? [];
  groups.delete(undefined);
  const grouped = await Promise.all(
    [...groups].map(async ([name, members]) => {
      // The runner starts files in alphabetical order. The timed group has no rank and comes first.
      const rank = String(GROUPS.indexOf(String(name)) + 1).padStart(2, '0');
      const path = join(folder, `${rank}-${String(name).replaceAll('/', '-')}.test.mjs`);
      await writeTestGroup(path, members);
      return path;
    }),
  );
  return [...grouped, ...single];
}

/**
 * Combines several test files into one: their tests run in one process, one file after the other. The first
 * test waits until all files are loaded, because loading would delay its timers.
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
