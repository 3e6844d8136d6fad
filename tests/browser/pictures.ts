/** Where pictures of pages are kept: results/console, which is not in git. */
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../results/console');

export function pictureFile(name: string): string {
  return join(FOLDER, `${name}.png`);
}
