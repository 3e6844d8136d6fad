/** Runs all checks on the packed files; returns one line for each problem. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';
import type { Task } from '../provision/task.ts';
import { providePython } from '../python-client/environment.ts';
import { findChangelogProblems } from './checks/changelog.ts';
import { findContentProblems } from './checks/contents.ts';
import { findDependencyProblems } from './checks/dependencies.ts';
import { findMetadataProblems } from './checks/python-metadata.ts';
import { findStaleFiles } from './checks/stale.ts';
import { findExportProblems, findTypeProblems } from './checks/types.ts';
import type { Packed } from './packed.ts';
import { findVersionProblems } from './version-files.ts';

export async function findProblems(
  packed: readonly Packed[],
  version: string,
  task: Task,
): Promise<readonly string[]> {
  const python = await providePython(task);
  const packages = packed.filter(({ kind }) => kind === 'npm');
  const published = packages.map(({ name }) => name);
  const problems = [
    ...(await findVersionProblems(repositoryRoot)),
    ...findChangelogProblems(await readFile(join(repositoryRoot, 'CHANGELOG.md'), 'utf8'), version),
  ];
  for (const each of packed) {
    const own = [...(await findContentProblems(each))];
    if (!basename(each.file).includes(`-${version}`)) own.push(`has another version than ${version}`);
    if (each.source !== undefined) own.push(...(await findStaleFiles(each, each.source)));
    if (each.kind === 'npm') {
      own.push(...(await findExportProblems(each)));
      own.push(...(await findDependencyProblems(each, published, version)));
    }
    if (each.kind === 'wheel' || each.kind === 'sdist')
      own.push(...(await findMetadataProblems(each, { python, version }, task)));
    problems.push(...own.map((problem) => `${each.kind} ${basename(each.file)} ${problem}`));
  }
  return [...problems, ...(await findTypeProblems(packages))];
}
