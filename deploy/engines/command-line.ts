/** The arguments of `npm run up -- engines`, `npm run down -- engines` and run-with.ts. All throw StartError. */
import { join, resolve } from 'node:path';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { repositoryRoot } from '../launcher.mjs';
import { flag, names, parseOptions, text } from '../provision/options.ts';
import { engineNames } from './engine.ts';

export const defaultStateDir = join(repositoryRoot, '.data/engines');

const dir = text('FOLDER', 'the state folder (.data/engines)');
const only = names('ENGINE', engineNames, 'these engines alone');

export const UP = { command: 'npm run up -- engines', options: { dir, only } };
export const DOWN = {
  command: 'npm run down -- engines',
  options: { dir, 'keep-data': flag('keeps data, ports and secrets for the next start') },
};

export function parseUp(args: readonly string[]) {
  const { help, ...values } = parseOptions(UP, args);
  return { help, dir: resolve(values.dir ?? defaultStateDir), only: inOrder(values.only) };
}

export function parseDown(args: readonly string[]) {
  const { help, ...values } = parseOptions(DOWN, args);
  return { help, dir: resolve(values.dir ?? defaultStateDir), keepData: values['keep-data'] };
}

const RUN_WITH = 'run-with.ts [--only ENGINE,…]';

/** Options come before `--`; the command follows unchanged. */
export function parseRunWith(args: readonly string[]) {
  const separator = args.indexOf('--');
  const [command, ...commandArgs] = separator === -1 ? [] : args.slice(separator + 1);
  if (command === undefined) {
    throw new StartError(`no command given. Usage: ${RUN_WITH} -- COMMAND [ARGUMENT…]`);
  }
  const values = parseOptions({ command: RUN_WITH, options: { only } }, args.slice(0, separator));
  return { only: inOrder(values.only), command, args: commandArgs };
}

function inOrder(chosen: readonly string[] = engineNames) {
  return engineNames.filter((name) => chosen.includes(name));
}
