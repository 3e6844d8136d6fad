import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { UsageError } from '../provision/command-line.ts';
import { DEFAULT_DATA_DIR } from './layout.ts';
import { NODE_KINDS, type NodeKind } from './nodes-choice.ts';

const NODES = { type: 'string' } as const;
const DIR = { type: 'string', default: DEFAULT_DATA_DIR } as const;

/** Throws UsageError. */
export function parseClusterArguments(command: string, args: readonly string[]): { readonly dir: string } {
  const { dir } = explained(`cluster -- ${command} [--dir FOLDER]`, () =>
    parseArgs({ args: [...args], options: { dir: DIR } }),
  );
  return { dir: resolve(dir) };
}

export interface UpArguments {
  readonly dir: string;
  /** Undefined: whichever the machine allows. */
  readonly nodes?: NodeKind;
}

/** Throws UsageError. */
export function parseUpArguments(args: readonly string[]): UpArguments {
  const usage = `cluster -- up [--dir FOLDER] [--nodes ${NODE_KINDS.join('|')}]`;
  const { dir, nodes } = explained(usage, () =>
    parseArgs({ args: [...args], options: { dir: DIR, nodes: NODES } }),
  );
  return { dir: resolve(dir), ...kindOf(nodes) };
}

export interface TestArguments extends UpArguments {
  /** Page to put the report into. */
  readonly report?: string;
  /** Leaves a cluster up that the test has started. */
  readonly keep: boolean;
}

/** Throws UsageError. */
export function parseTestArguments(args: readonly string[]): TestArguments {
  const options = {
    dir: DIR,
    nodes: NODES,
    report: { type: 'string' },
    keep: { type: 'boolean', default: false },
  } as const;
  const usage = `verify -- cluster [--report FILE] [--dir FOLDER] [--nodes ${NODE_KINDS.join('|')}] [--keep]`;
  const { dir, nodes, ...rest } = explained(usage, () => parseArgs({ args: [...args], options }));
  return { ...rest, dir: resolve(dir), ...kindOf(nodes) };
}

function kindOf(nodes: string | undefined): { readonly nodes?: NodeKind } {
  if (nodes === undefined) return {};
  const kind = NODE_KINDS.find((each) => each === nodes);
  if (kind === undefined) throw new UsageError(`--nodes takes ${NODE_KINDS.join(' or ')}, and not ${nodes}`);
  return { nodes: kind };
}

function explained<T>(usage: string, parse: () => { readonly values: T }): T {
  try {
    return parse().values;
  } catch (error) {
    throw new UsageError(`${messageOf(error)}. Usage: npm run ${usage}`);
  }
}
