/** Checks that each packed file contains what it must, and neither tests nor sources. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../../launcher.mjs';
import { filesIn, type Kind, type Packed } from '../packed.ts';
import { readManifest } from '../published.ts';

const LICENSE = 'Apache-2.0';
/** They have the same text in all packages. */
const COMMON = ['LICENSE', 'NOTICE'];
const REQUIRED: Readonly<Record<Kind, readonly string[]>> = {
  npm: [...COMMON, 'CHANGELOG.md', 'README.md', 'package.json'],
  sdist: [...COMMON, 'CHANGELOG.md', 'README.md', 'pyproject.toml', 'PKG-INFO'],
  wheel: [...COMMON, 'py.typed', 'METADATA'],
  chart: [...COMMON, 'README.md', 'Chart.yaml', 'values.yaml', 'values.schema.json'],
};
/** Tests and the files that they need. The tests of `helm test` are part of the chart. */
const TEST =
  /\.(test|fixture|contract)\.|(^|\/)(test_|conftest\.|(testing|suites|bench|fuzz|ci)\/|(?<!templates\/)tests?\/)/;
/** Sources, and files that a compiler leaves behind. The engine's own list of files omits the sandbox's C sources. */
const SOURCE = /(?<!\.d)\.[cm]?tsx?$|\.map$|\.tsbuildinfo$|\.pyc$|\.gotmpl$/;

export async function findContentProblems(packed: Packed): Promise<readonly string[]> {
  const files = await filesIn(packed.folder);
  const pathOf = (name: string) => files.find((path) => path === name || path.endsWith(`/${name}`));
  const problems = REQUIRED[packed.kind]
    .filter((name) => pathOf(name) === undefined)
    .map((name) => `has no ${name}`);
  for (const name of COMMON) {
    const path = pathOf(name);
    if (path === undefined) continue;
    const [own, common] = await Promise.all(
      [join(packed.folder, path), join(repositoryRoot, name)].map((each) => readFile(each, 'utf8')),
    );
    if (own !== common) problems.push(`has another ${name} than the repository`);
  }
  problems.push(
    ...files.filter((path) => TEST.test(path)).map((path) => `has a test, or what it needs: ${path}`),
  );
  problems.push(...files.filter((path) => SOURCE.test(path)).map((path) => `has a source: ${path}`));
  if (packed.kind === 'npm') problems.push(...(await findManifestProblems(packed)));
  return problems;
}

async function findManifestProblems({ folder }: Packed): Promise<readonly string[]> {
  const { license, private: isPrivate } = await readManifest(folder);
  return [
    ...(license === LICENSE ? [] : [`has the licence ${license} in its package.json, and not ${LICENSE}`]),
    ...(isPrivate ? ['is private'] : []),
  ];
}
