// `node build.mjs [FOLDER]`: builds the public pages and the operators' page, into `dist` by default.
import { join } from 'node:path';
import { build } from 'vite';

const [outDir = join(import.meta.dirname, 'dist')] = process.argv.slice(2);
const logLevel = 'error';
await build({ root: import.meta.dirname, logLevel, build: { outDir } });
await build({
  root: join(import.meta.dirname, 'operators'),
  logLevel,
  build: { outDir: join(outDir, 'operators'), emptyOutDir: true },
});
