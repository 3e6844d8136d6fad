import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { UsageError } from '../provision/command-line.ts';
import { DEFAULT_DATA_DIR } from './layout.ts';

/** Throws UsageError. */
export function parseClusterArguments(command: string, args: readonly string[]): { readonly dir: string } {
  const options = { dir: { type: 'string', default: DEFAULT_DATA_DIR } } as const;
  try {
    return { dir: resolve(parseArgs({ args: [...args], options }).values.dir) };
  } catch (error) {
    throw new UsageError(`${messageOf(error)}. Usage: npm run cluster -- ${command} [--dir FOLDER]`);
  }
}
