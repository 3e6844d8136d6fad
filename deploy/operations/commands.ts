/** The operator commands by name. They run from a checkout (`npm run operate`) and in the image `tools`. */

import { systemClock } from '@audiosplit/chassis/clock';
import type { BusOperations } from '@audiosplit/chassis/event-bus/bus-operations';
import { openOperations, readBusLocation } from '@audiosplit/chassis/event-bus/operator/open-operations';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { GRANT_ACCESS_USAGE, runGrantAccessCommand } from './access/grant-access-command.ts';
import {
  DEAD_LETTERS_USAGE,
  parseDeadLettersArguments,
  runDeadLettersCommand,
} from './bus/dead-letters-command.ts';
import { LAG_USAGE, parseLagArguments, runLagCommand } from './bus/lag-command.ts';
import { DATA_COMMANDS_USAGE } from './command-line.ts';
import { runDataCommand } from './data-commands.ts';
import { ROTATE_KEYS_USAGE, runRotateKeysCommand } from './keys/rotate-keys-command.ts';
import { OVERRIDES_USAGE, runOverridesCommand } from './overrides/overrides-command.ts';

type Write = (text: string) => void;

interface Command {
  readonly usage: string;
  readonly run: (args: readonly string[], env: Env, write: Write) => Promise<void>;
}

const dataCommand = (name: string): Command => ({
  usage: DATA_COMMANDS_USAGE,
  run: (args, env, write) => runDataCommand([name, ...args], env, write),
});

function busCommand<Arguments>(
  usage: string,
  parse: (args: readonly string[]) => Arguments,
  run: (operations: BusOperations, parsed: Arguments, write: Write) => Promise<void>,
): Command {
  return {
    usage,
    async run(args, env, write) {
      const parsed = parse(args);
      await using operations = await openOperations(readBusLocation(env));
      await run(operations, parsed, write);
    },
  };
}

const COMMANDS: Readonly<Record<string, Command>> = {
  backup: dataCommand('backup'),
  restore: dataCommand('restore'),
  reconcile: dataCommand('reconcile'),
  reseal: dataCommand('reseal'),
  'rotate-keys': {
    usage: ROTATE_KEYS_USAGE,
    run: (args, _env, write) => runRotateKeysCommand(args, write),
  },
  'grant-access': { usage: GRANT_ACCESS_USAGE, run: runGrantAccessCommand },
  lag: busCommand(LAG_USAGE, parseLagArguments, runLagCommand),
  'dead-letters': busCommand(DEAD_LETTERS_USAGE, parseDeadLettersArguments, runDeadLettersCommand),
  overrides: {
    usage: OVERRIDES_USAGE,
    run: (args, env, write) => runOverridesCommand(args, { env, clock: systemClock, write }),
  },
};

const USAGE = `usage: <command> [arguments]
Commands: ${Object.keys(COMMANDS).join(', ')}.
<command> --help prints its arguments. From a checkout a command is npm run operate -- <command> [arguments].`;

/** Throws StartError and ConfigError. */
export async function runOperatorCommand(args: readonly string[], env: Env, write: Write): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === 'help' || isHelp(name)) return write(`${USAGE}\n`);
  const command = COMMANDS[name];
  if (command === undefined) {
    throw new StartError(`${name === '' ? 'name a command' : `there is no ${name}`}\n${USAGE}`);
  }
  if (rest.some(isHelp)) return write(`${command.usage}\n`);
  await command.run(rest, env, write);
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h';
}
