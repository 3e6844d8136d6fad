import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export interface UpArguments {
  readonly gateways: number;
  readonly splitters: number;
  /** Keeps everything running in the background. */
  readonly detach: boolean;
  /** Starts a process that has died again. */
  readonly restart: boolean;
  /** Keeps the engines running for the next start. */
  readonly keepEngines: boolean;
  readonly help: boolean;
}

export interface DownArguments {
  readonly deleteData: boolean;
  readonly help: boolean;
}

export const UP_HELP = `Usage: npm run up -- [options]

  --gateways N      gateways behind the one address, 1 to 16 (2)
  --splitters N     splitters, 1 to 64 (3)
  --detach          leave it running and give the terminal back; npm run down stops it
  --no-restart      leave a process that has died dead
  --keep-engines    leave PostgreSQL, Redis, Kafka and S3 running at the end, for the next start

What npm start reads from the environment, npm run up does too: PORT, HOST, DATA_DIR (./.data/distributed), … With
DATABASE_URL, KAFKA_BROKERS, REDIS_URL or STORAGE_URL it uses yours and does not start its own.
`;

export const DOWN_HELP = `Usage: npm run down -- [options]

  --delete-data     delete DATA_DIR (./.data/distributed) as well: database, events, files, logs
`;

export const RESTART_HELP = `Usage: npm run up -- restart

Replaces every process of what npm run up has started, one after the other, while it serves. Reads DATA_DIR as
npm run up does.
`;

/** A topic of the bus has 64 partitions: a 65th splitter would have nothing to do. */
const MAX_SPLITTERS = 64;
const MAX_GATEWAYS = 16;

/** Throws StartError. */
export function parseUp(args: readonly string[]): UpArguments {
  const { values } = parse('npm run up -- --help', () =>
    parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        gateways: { type: 'string', default: '2' },
        splitters: { type: 'string', default: '3' },
        detach: { type: 'boolean', default: false },
        restart: { type: 'boolean', default: true },
        'keep-engines': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }),
  );
  return {
    gateways: count('--gateways', values.gateways, MAX_GATEWAYS),
    splitters: count('--splitters', values.splitters, MAX_SPLITTERS),
    detach: values.detach,
    restart: values.restart,
    keepEngines: values['keep-engines'],
    help: values.help,
  };
}

/** Throws StartError. */
export function parseDown(args: readonly string[]): DownArguments {
  const { values } = parse('npm run down -- --help', () =>
    parseArgs({
      args: [...args],
      options: {
        'delete-data': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }),
  );
  return { deleteData: values['delete-data'], help: values.help };
}

/** Throws StartError. */
export function parseRestart(args: readonly string[]): { readonly help: boolean } {
  const { values } = parse('npm run up -- restart --help', () =>
    parseArgs({ args: [...args], options: { help: { type: 'boolean', default: false } } }),
  );
  return { help: values.help };
}

function count(option: string, value: string, max: number): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > max) {
    throw new StartError(`${option} is ${JSON.stringify(value)}; allowed: a whole number from 1 to ${max}`);
  }
  return number;
}

function parse<T>(help: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new StartError(`${messageOf(error).split('. ')[0]}; see ${help}`);
  }
}
