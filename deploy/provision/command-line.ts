import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type EngineName, engineNames } from '../engines/engine.ts';

/** Wrong arguments; the message says which ones are right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Those whose name holds one of the words, all where none is given. Throws UsageError where that leaves nothing. */
export function namedLike<T>(
  all: readonly T[],
  words: readonly string[],
  nameOf: (one: T) => string,
  kind: string,
): readonly T[] {
  const chosen = all.filter((one) => words.length === 0 || words.some((word) => nameOf(one).includes(word)));
  if (chosen.length === 0) throw new UsageError(`No ${kind} is named like ${words.join(', ')}`);
  return chosen;
}

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
