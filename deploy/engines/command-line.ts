/** The arguments of `npm run up -- engines`, `npm run down -- engines` and run-with.ts. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '../provision/command-line.ts';
import { type EngineName, engineNames } from './engine.ts';

export const defaultStateDir = join(resolve(import.meta.dirname, '../..'), '.data/engines');

export interface UpArguments {
  readonly dir: string;
  readonly only: readonly EngineName[];
}

export interface DownArguments {
  readonly dir: string;
  readonly keepData: boolean;
}

export interface RunWithArguments {
  readonly only: readonly EngineName[];
  readonly command: string;
  readonly args: readonly string[];
}

const dirOption = { type: 'string', default: defaultStateDir } as const;
const onlyOption = { type: 'string', default: engineNames.join() } as const;

export function parseUp(args: readonly string[]): UpArguments {
  const { values } = parse('npm run up -- engines [--dir FOLDER] [--only ENGINE,…]', () =>
    parseArgs({ args: [...args], options: { dir: dirOption, only: onlyOption } }),
  );
  return { dir: resolve(values.dir), only: parseEngineNames(values.only) };
}

export function parseDown(args: readonly string[]): DownArguments {
  const { values } = parse('npm run down -- engines [--dir FOLDER] [--keep-data]', () =>
    parseArgs({
      args: [...args],
      options: { dir: dirOption, 'keep-data': { type: 'boolean', default: false } },
    }),
  );
  return { dir: resolve(values.dir), keepData: values['keep-data'] };
}

/** Options stand before `--`; what follows it is the command, untouched. */
export function parseRunWith(args: readonly string[]): RunWithArguments {
  const usage = 'run-with.ts [--only ENGINE,…] -- COMMAND [ARGUMENT…]';
  const separator = args.indexOf('--');
  const [command, ...commandArgs] = separator === -1 ? [] : args.slice(separator + 1);
  if (command === undefined) throw new UsageError(`no command given. Usage: ${usage}`);
  const { values } = parse(usage, () =>
    parseArgs({ args: args.slice(0, separator), options: { only: onlyOption } }),
  );
  return { only: parseEngineNames(values.only), command, args: commandArgs };
}

function parseEngineNames(list: string): EngineName[] {
  const wanted = new Set(list.split(','));
  const known = engineNames.filter((name) => wanted.delete(name));
  if (wanted.size > 0) {
    throw new UsageError(`no such engine: ${[...wanted].join(', ')}. There are ${engineNames.join(', ')}`);
  }
  return known;
}

function parse<T>(usage: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}. Usage: ${usage}`);
  }
}
