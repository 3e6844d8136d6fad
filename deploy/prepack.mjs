// What a package of clients/ does before it is packed: it is compiled, given what all packages have in common, and, where
// an entry is named, put into a few files. A program that loads hundreds of small modules starts a tenth of a second later.
//
//   node ../../deploy/prepack.mjs [dist/index.js]
import { spawnSync } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const [entry] = process.argv.slice(2);

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-b'], { stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(1);

for (const file of ['LICENSE', 'NOTICE', 'CHANGELOG.md']) await copyFile(join(ROOT, file), file);

if (entry !== undefined) {
  const { dependencies = {} } = JSON.parse(await readFile('package.json', 'utf8'));
  const names = Object.keys(dependencies);
  const bundle = await rolldown({
    input: entry,
    // Dependencies stay outside.
    external: (name) =>
      name.startsWith('node:') || names.some((each) => name === each || name.startsWith(`${each}/`)),
    platform: 'node',
  });
  await bundle.write({ dir: 'dist/bundle', format: 'esm' });
}
