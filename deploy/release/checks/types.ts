/** Checks that all exports of the packages exist, and that their types resolve once the packages are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { repositoryRoot } from '../../launcher.mjs';
import { filesIn, type Packed } from '../packed.ts';
import { type Exports, readManifest } from '../published.ts';

/** Used only within the repository. */
const SOURCE_CONDITION = 'audiosplit-source';

/** Files that the manifest names and the package lacks. */
export async function findExportProblems({ folder }: Packed): Promise<readonly string[]> {
  const { exports = {}, bin = {} } = await readManifest(folder);
  const files = await filesIn(folder);
  return [...Object.values(exports).flatMap(targetsOf), ...Object.values(bin)]
    .filter((target) => matching(files, target).length === 0)
    .map((target) => `names ${target} in its package.json, which is not in it`);
}

/** Compiles a program that imports every typed module of the packages; returns the compiler's errors. */
export async function findTypeProblems(packages: readonly Packed[]): Promise<readonly string[]> {
  const [first] = packages;
  if (first === undefined) return [];
  const consumer = consumerOf(first);
  const modules: string[] = [];
  for (const packed of packages) modules.push(...(await typedModules(packed)));
  const program = modules.map((name, index) => `import * as module${index} from '${name}';\n`).join('');
  const used = `export const modules = [${modules.map((_, index) => `module${index}`).join(', ')}];\n`;
  await writeFile(join(consumer, 'use.mts'), program + used);
  // Other packages are resolved from the parent folder, which links to this repository's node_modules.
  const above = join(dirname(consumer), 'node_modules');
  if (!existsSync(above)) await symlink(join(repositoryRoot, 'node_modules'), above);
  const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const options = { cwd: consumer, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...flags, 'use.mts'], options);
  if (status === 0) return [];
  // Errors in other packages do not count.
  return stdout
    .split('\n')
    .filter((line) => /^(use\.mts|node_modules\/)/.test(line))
    .map((line) => `types: ${line}`);
}

/** The folder that has the packages in its node_modules. */
function consumerOf({ name, folder }: Packed): string {
  return resolve(folder, ...name.split('/').map(() => '..'), '..');
}

async function typedModules({ name, folder }: Packed): Promise<readonly string[]> {
  const { exports = {} } = await readManifest(folder);
  const files = await filesIn(folder);
  return Object.entries(exports).flatMap(([path, target]) => {
    const types = typeof target === 'string' ? undefined : target.types;
    if (typeof types !== 'string') return [];
    return matching(files, types).map((star) => join(name, path.replace('*', star)));
  });
}

function targetsOf(target: Exports[string]): readonly string[] {
  if (typeof target === 'string') return [target];
  return Object.entries(target).flatMap(([condition, each]) =>
    condition === SOURCE_CONDITION ? [] : targetsOf(each),
  );
}

/** The text that the star stands for in each matching file; empty if there is no star. */
function matching(files: readonly string[], target: string): readonly string[] {
  const [start = '', end = ''] = target.replace('./', '').split('*');
  if (!target.includes('*')) return files.includes(start) ? [''] : [];
  return files
    .filter((path) => path.startsWith(start) && path.endsWith(end))
    .map((path) => path.slice(start.length, path.length - end.length));
}
