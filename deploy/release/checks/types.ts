/** Whether the exports of packages are there, and their types resolve where the packages are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { repositoryRoot } from '../../launcher.mjs';
import { filesIn, type Packed } from '../packed.ts';
import { type Exports, readManifest } from '../published.ts';

/** Read from the repository alone. */
const SOURCE_CONDITION = 'audiosplit-source';

/** Files that a manifest names, but the package has not. */
export async function findExportProblems({ folder }: Packed): Promise<readonly string[]> {
  const { exports = {}, bin = {} } = await readManifest(folder);
  const files = await filesIn(folder);
  return [...Object.values(exports).flatMap(targetsOf), ...Object.values(bin)]
    .filter((target) => matching(files, target).length === 0)
    .map((target) => `names ${target} in its package.json, which is not in it`);
}

/** What the compiler finds in a program that imports every module of theirs which has types. */
export async function findTypeProblems(packages: readonly Packed[]): Promise<readonly string[]> {
  const [first] = packages;
  if (first === undefined) return [];
  const consumer = consumerOf(first);
  const modules: string[] = [];
  for (const packed of packages) modules.push(...(await typedModules(packed)));
  const program = modules.map((name, index) => `import * as module${index} from '${name}';\n`).join('');
  const used = `export const modules = [${modules.map((_, index) => `module${index}`).join(', ')}];\n`;
  await writeFile(join(consumer, 'use.mts'), program + used);
  // What others publish is found in the folder above, as it was installed here.
  const above = join(dirname(consumer), 'node_modules');
  if (!existsSync(above)) await symlink(join(repositoryRoot, 'node_modules'), above);
  const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const options = { cwd: consumer, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...flags, 'use.mts'], options);
  if (status === 0) return [];
  // What others publish is theirs to mend.
  return stdout
    .split('\n')
    .filter((line) => /^(use\.mts|node_modules\/)/.test(line))
    .map((line) => `types: ${line}`);
}

/** The folder whose node_modules they are in. */
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

/** What the star stands for in each file that fits; an empty text where there is no star. */
function matching(files: readonly string[], target: string): readonly string[] {
  const [start = '', end = ''] = target.replace('./', '').split('*');
  if (!target.includes('*')) return files.includes(start) ? [''] : [];
  return files
    .filter((path) => path.startsWith(start) && path.endsWith(end))
    .map((path) => path.slice(start.length, path.length - end.length));
}
