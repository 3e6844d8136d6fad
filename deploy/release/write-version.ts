/** `npm run generate -- version`: writes the version of the root's package.json to all other files that have it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';
import { renderVersionFiles } from './version-files.ts';

for (const [path, text] of await renderVersionFiles(repositoryRoot)) {
  await writeFile(join(repositoryRoot, path), text);
}
