/** The files that repeat the version of the root's package.json. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PLACES: readonly (readonly [file: string, before: RegExp])[] = [
  ['clients/python/src/audiosplit/_version.py', /^__version__ = "/m],
  ['charts/audiosplit/Chart.yaml', /^version: /m],
  ['charts/audiosplit/Chart.yaml', /^appVersion: /m],
  ['charts/audiosplit/README.md', /^Version /m],
  ['deploy/containers/Dockerfile', /^ARG VERSION=/m],
];
const VERSION = /\d+\.\d+\.\d+(?:-[\w.]+)?/.source;

interface Lock {
  readonly packages: Readonly<Record<string, Workspace>>;
}

interface Workspace {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The required text of each file, by its path below `root`. */
export async function renderVersionFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const { version, workspaces } = JSON.parse(await read('package.json')) as {
    readonly version: string;
    readonly workspaces: readonly string[];
  };
  const folders = await Array.fromAsync(
    glob(
      workspaces.map((each) => `${each}/package.json`),
      { cwd: root },
    ),
    (path) => path.replace(/\/package\.json$/, ''),
  );
  const files = new Map<string, string>();
  const manifests = new Map<string, string>();
  for (const folder of folders.sort()) manifests.set(folder, await read(`${folder}/package.json`));
  const names = [...manifests.values()].map((text) => (JSON.parse(text) as { readonly name: string }).name);
  const entry = new RegExp(`^(\\s*"(?:version|${names.join('|')})": ")\\d[^"]*(?=")`, 'gm');
  for (const [folder, text] of manifests)
    files.set(`${folder}/package.json`, text.replace(entry, `$1${version}`));

  const lock = JSON.parse(await read('package-lock.json')) as Lock & Workspace;
  lock.version = version;
  for (const folder of ['', ...manifests.keys()]) setVersion(lock.packages[folder] ?? {}, names, version);
  files.set('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);

  for (const [file, before] of PLACES) {
    const place = new RegExp(`(${before.source})${VERSION}`, 'm');
    const text = files.get(file) ?? (await read(file));
    if (!place.test(text)) throw new Error(`${file} has no version after ${before}`);
    files.set(file, text.replace(place, `$1${version}`));
  }
  return files;
}

/** A line for each file with another version. */
export async function findVersionProblems(root: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [path, text] of await renderVersionFiles(root)) {
    if ((await readFile(join(root, path), 'utf8')) !== text)
      problems.push(
        `${path} has another version than package.json: \`npm run generate -- version\` writes it`,
      );
  }
  return problems;
}

function setVersion(workspace: Workspace, names: readonly string[], version: string): void {
  workspace.version = version;
  for (const dependencies of [workspace.dependencies, workspace.devDependencies]) {
    for (const name of Object.keys(dependencies ?? {})) {
      if (dependencies !== undefined && names.includes(name)) dependencies[name] = version;
    }
  }
}
