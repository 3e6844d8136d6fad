import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The absolute path of a program in one of `dirs`, by default those of PATH. */
export function findExecutable(
  name: string,
  dirs: readonly string[] = (process.env.PATH ?? '').split(delimiter),
): string | undefined {
  return dirs
    .filter((dir) => dir !== '')
    .map((dir) => join(dir, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
