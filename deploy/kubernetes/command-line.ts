import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { UsageError } from '../provision/command-line.ts';
import { DEFAULT_DATA_DIR } from './layout.ts';

const DIR = { type: 'string', default: DEFAULT_DATA_DIR } as const;

/** Throws UsageError. */
export function parseClusterArguments(command: string, args: readonly string[]): { readonly dir: string } {
  const { dir } = explained(`cluster -- ${command} [--dir FOLDER]`, () =>
    parseArgs({ args: [...args], options: { dir: DIR } }),
  );
  return { dir: resolve(dir) };
}

interface TestArguments {
  readonly dir: string;
  /** Page to put the report into. */
  readonly report?: string;
  /** Leaves a cluster up that the test has started. */
  readonly keep: boolean;
}

/** Throws UsageError. */
export function parseTestArguments(args: readonly string[]): TestArguments {
  const options = {
    dir: DIR,
    report: { type: 'string' },
    keep: { type: 'boolean', default: false },
  } as const;
  const usage = 'verify -- cluster [--report FILE] [--dir FOLDER] [--keep]';
  const { dir, ...rest } = explained(usage, () => parseArgs({ args: [...args], options }));
  return { ...rest, dir: resolve(dir) };
}

function explained<T>(usage: string, parse: () => { readonly values: T }): T {
  try {
    return parse().values;
  } catch (error) {
    throw new UsageError(`${messageOf(error)}. Usage: npm run ${usage}`);
  }
}
