import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export interface DrillArguments {
  /** Undefined: all of them. */
  readonly only: readonly string[] | undefined;
  readonly outageMs: number;
  /** Absolute, or from the working directory. */
  readonly report: string | undefined;
  readonly help: boolean;
}

const DEFAULT_OUTAGE_SECONDS = 75;
/** Below it the oldest event is not old enough for the alert's condition. */
const LEAST_OUTAGE_SECONDS = 65;
const LONGEST_OUTAGE_SECONDS = 3_600;

export function drillsHelp(names: readonly string[]): string {
  return `Usage: npm run verify -- drills [options]

Starts the product on real engines, carries out the disaster drills of docs/operations/drills.md, and says what was not as it is to be.

  --only NAME,…         these alone: ${names.join(', ')}
  --outage-seconds N    how long Redis and Kafka stay away, ${LEAST_OUTAGE_SECONDS} to ${LONGEST_OUTAGE_SECONDS} (${DEFAULT_OUTAGE_SECONDS}); ten minutes are 600
  --report FILE         writes the protocol there as well, as Markdown
`;
}

/** Throws StartError. */
export function parseDrills(args: readonly string[], names: readonly string[]): DrillArguments {
  const { values } = parse(args);
  const only = values.only?.split(',');
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new StartError(`--only knows no drill ${JSON.stringify(unknown)}; there are ${names.join(', ')}`);
  const seconds = Number(values['outage-seconds']);
  if (!Number.isInteger(seconds) || seconds < LEAST_OUTAGE_SECONDS || seconds > LONGEST_OUTAGE_SECONDS)
    throw new StartError(
      `--outage-seconds is ${JSON.stringify(values['outage-seconds'])}; allowed: ${LEAST_OUTAGE_SECONDS} to ${LONGEST_OUTAGE_SECONDS}`,
    );
  return { only, outageMs: seconds * 1_000, report: values.report, help: values.help };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        'outage-seconds': { type: 'string', default: String(DEFAULT_OUTAGE_SECONDS) },
        report: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartError(`${messageOf(error).split('. ')[0]}; see npm run verify -- drills --help`);
  }
}
