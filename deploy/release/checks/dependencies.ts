/** Checks that an npm package declares everything that it imports. */
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { filesIn, type Packed } from '../packed.ts';
import { readManifest } from '../published.ts';

/** A regular expression is enough, because compiled code is regular. */
const IMPORT =
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\b(?:import|require)\(\s*["']([^"']+)["']\s*\)/gm;
const RANGE = /^[\^~]?\d|^\*$/;

/** `published`: the names of all packages of this release, which have this version. */
export async function findDependencyProblems(
  { folder }: Packed,
  published: readonly string[],
  version: string,
): Promise<readonly string[]> {
  const { name, dependencies = {}, peerDependencies = {} } = await readManifest(folder);
  const files = new Set(await filesIn(folder));
  const problems: string[] = [];
  for (const [each, range] of Object.entries({ ...dependencies, ...peerDependencies })) {
    if (published.includes(each)) {
      if (range !== version) problems.push(`depends on ${each} ${range}, and not ${version}`);
    } else if (/^@?audiosplit\b/.test(each)) problems.push(`depends on ${each}, which is not published`);
    else if (!RANGE.test(range)) problems.push(`depends on ${each} ${range}, which no registry has`);
  }
  const declared = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
  for (const file of files) {
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    for (const specifier of importsOf(await readFile(join(folder, file), 'utf8'))) {
      if (specifier.startsWith('.')) {
        if (!isThere(files, normalize(join(dirname(file), specifier)), file))
          problems.push(`${file} imports ${specifier}, which is not in it`);
      } else if (!isBuiltIn(specifier) && !declared.has(packageOf(specifier)))
        problems.push(`${file} imports ${specifier}, which it does not declare`);
    }
  }
  return problems;
}

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, from, alone, called]) => from ?? alone ?? called ?? '');
}

/** Types are beside the code that they describe. CommonJS omits file extensions. */
function isThere(files: ReadonlySet<string>, path: string, from: string): boolean {
  const end = from.endsWith('.d.ts') ? '.d.ts' : '.js';
  const base = path.replace(/(\.d)?\.[jt]s$/, '');
  return files.has(path) || [`${base}${end}`, join(base, `index${end}`)].some((each) => files.has(each));
}

function isBuiltIn(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
