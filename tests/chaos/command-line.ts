import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export interface ChaosArguments {
  readonly seed: number;
  readonly jobs: number;
  readonly injections: number;
  /** Nothing is injected after these. */
  readonly minutes: number;
  /** Undefined: every kind. */
  readonly only: readonly string[] | undefined;
  readonly splitters: number;
  readonly leaseSeconds: number;
  readonly atOnce: number;
  readonly jobsPerSecond: number;
  readonly isShort: boolean;
  readonly report: string | undefined;
  readonly help: boolean;
}

interface Defaults {
  readonly jobs: number;
  readonly injections: number;
  readonly minutes: number;
  readonly leaseSeconds: number;
  readonly atOnce: number;
  readonly jobsPerSecond: number;
}

/** The product's own lease. */
const FULL: Defaults = {
  jobs: 2_000,
  injections: 200,
  minutes: 40,
  leaseSeconds: 30,
  atOnce: 3,
  jobsPerSecond: 1.2,
};

function short(kinds: number): Defaults {
  return { jobs: 100, injections: kinds, minutes: 10, leaseSeconds: 6, atOnce: 4, jobsPerSecond: 1.5 };
}

export function chaosHelp(kinds: readonly string[]): string {
  return `Usage: npm run verify -- chaos [options]

  --seed N          decides which faults strike what, for how long and when (random, and printed)
  --jobs N          the run goes on until there were so many (${FULL.jobs})
  --injections N    faults to inject (${FULL.injections})
  --minutes N       nothing is injected after these (${FULL.minutes})
  --only KIND,…     these kinds alone: ${kinds.join(', ')}
  --splitters N     splitters, 1 to 16 (3)
  --lease N         seconds that a job's lease lasts, JOB_LEASE_SECONDS (${FULL.leaseSeconds}, as in production)
  --at-once N       faults that may be at work at the same time (${FULL.atOnce})
  --rate N          jobs posted in a second (${FULL.jobsPerSecond})
  --short           every kind once, in some 3 minutes, with leases of 6 s
  --report FILE     writes the report there as well, as Markdown
`;
}

/** Throws StartError. */
export function parseChaos(args: readonly string[], kinds: readonly string[]): ChaosArguments {
  const { values } = parse(args);
  const only = values.only?.split(',');
  const unknown = only?.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined)
    throw new StartError(`--only knows no kind ${JSON.stringify(unknown)}; there are ${kinds.join(', ')}`);
  const defaults = values.short ? short(only?.length ?? kinds.length) : FULL;
  const whole = (option: string, text: string | undefined, fallback: number, least: number, most: number) =>
    text === undefined ? fallback : inRange(option, text, least, most, Number.isInteger);
  return {
    seed: whole('--seed', values.seed, randomInt(1_000_000), 0, 2 ** 31 - 1),
    jobs: whole('--jobs', values.jobs, defaults.jobs, 1, 1_000_000),
    injections: whole('--injections', values.injections, defaults.injections, 1, 100_000),
    minutes: whole('--minutes', values.minutes, defaults.minutes, 1, 10_000),
    only,
    splitters: whole('--splitters', values.splitters, 3, 1, 16),
    leaseSeconds: whole('--lease', values.lease, defaults.leaseSeconds, 3, 300),
    atOnce: whole('--at-once', values['at-once'], defaults.atOnce, 1, 16),
    jobsPerSecond:
      values.rate === undefined
        ? defaults.jobsPerSecond
        : inRange('--rate', values.rate, 0.1, 100, Number.isFinite),
    isShort: values.short,
    report: values.report,
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        jobs: { type: 'string' },
        injections: { type: 'string' },
        minutes: { type: 'string' },
        only: { type: 'string' },
        splitters: { type: 'string' },
        lease: { type: 'string' },
        'at-once': { type: 'string' },
        rate: { type: 'string' },
        short: { type: 'boolean', default: false },
        report: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartError(`${messageOf(error).split('. ')[0]}; see npm run verify -- chaos --help`);
  }
}

function inRange(
  option: string,
  text: string,
  least: number,
  most: number,
  isFit: (value: number) => boolean,
): number {
  const value = Number(text);
  if (text.trim() !== '' && isFit(value) && value >= least && value <= most) return value;
  throw new StartError(`${option} is ${JSON.stringify(text)}; allowed: ${least} to ${most}`);
}
