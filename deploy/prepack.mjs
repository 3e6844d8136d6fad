// Prepares a package of clients/ for packing: compiles it, adds the files that all packages have in common
// and, if an entry is named, bundles it into a few files. A program that loads hundreds of small modules
// starts a tenth of a second later.
//
// node ../../deploy/prepack.mjs [dist/index.js]
import { spawnSync } from 'node:child_process';
import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
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

const { dependencies = {}, n8n } = JSON.parse(await readFile('package.json', 'utf8'));
if (n8n !== undefined) {
  // Compiled to CommonJS, with the icons where the compiled nodes look for them.
  await writeFile('dist/package.json', '{ "type": "commonjs" }\n');
  await cp('icons', 'dist/icons', { recursive: true });
}

if (entry !== undefined) {
  const names = Object.keys(dependencies);
  const bundle = await rolldown({
    input: entry,
    // Dependencies are not bundled.
    external: (name) =>
      name.startsWith('node:') || names.some((each) => name === each || name.startsWith(`${each}/`)),
    platform: 'node',
  });
  // Chunks are named after a hash of their contents, so those of an earlier build would stay.
  await rm('dist/bundle', { recursive: true, force: true });
  await bundle.write({ dir: 'dist/bundle', format: 'esm' });
}
