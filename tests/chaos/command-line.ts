import { randomInt } from 'node:crypto';
import { decimal, flag, names, text, type Values, whole } from '../../deploy/provision/options.ts';
import { FAULTS } from './faults/catalog.ts';

const KINDS = FAULTS.map(({ kind }) => kind);
/** The lease is the product's default. */
const FULL = { jobs: 2_000, injections: 200, minutes: 40, lease: 30, 'at-once': 3, rate: 1.2 };

function short(kinds: number): typeof FULL {
  return { jobs: 100, injections: kinds, minutes: 10, lease: 6, 'at-once': 4, rate: 1.5 };
}

export type ChaosArguments = ReturnType<typeof chaosArguments>;

export const CHAOS = {
  command: 'npm run verify -- chaos',
  options: {
    seed: whole(
      { least: 0, most: 2 ** 31 - 1 },
      undefined,
      'decides the faults, their targets, durations and times (random, and printed)',
    ),
    jobs: whole({ least: 1, most: 1_000_000 }, undefined, `posts at least this many jobs (${FULL.jobs})`),
    injections: whole({ least: 1, most: 100_000 }, undefined, `faults to inject (${FULL.injections})`),
    minutes: whole({ least: 1, most: 10_000 }, undefined, `injects no fault after these (${FULL.minutes})`),
    only: names('KIND', KINDS, 'only these kinds'),
    splitters: whole({ least: 1, most: 16 }, 3, 'splitters, 1 to 16'),
    lease: whole(
      { least: 3, most: 300 },
      undefined,
      `seconds of a job's lease, JOB_LEASE_SECONDS (${FULL.lease}, as in production)`,
    ),
    'at-once': whole({ least: 1, most: 16 }, undefined, `faults at the same time (${FULL['at-once']})`),
    rate: decimal({ least: 0.1, most: 100 }, undefined, `jobs posted in a second (${FULL.rate})`),
    short: flag('every kind once, in about 3 minutes, with leases of 6 s'),
    report: text('FILE', 'writes the report to this file, too, as Markdown'),
  },
};

export function chaosArguments(values: Values<typeof CHAOS.options>) {
  const defaults = values.short ? short(values.only?.length ?? KINDS.length) : FULL;
  return {
    seed: values.seed ?? randomInt(1_000_000),
    jobs: values.jobs ?? defaults.jobs,
    injections: values.injections ?? defaults.injections,
    /** After these minutes no injection begins. */
    minutes: values.minutes ?? defaults.minutes,
    splitters: values.splitters,
    lease: values.lease ?? defaults.lease,
    'at-once': values['at-once'] ?? defaults['at-once'],
    rate: values.rate ?? defaults.rate,
    /** Undefined: every kind. */
    only: values.only,
    short: values.short,
  };
}

/** The arguments as a user types them. */
export function describeArguments({ only, short, ...numbers }: ChaosArguments): string {
  return [
    ...Object.entries(numbers).map(([name, value]) => `--${name} ${value}`),
    ...(only === undefined ? [] : [`--only ${only.join()}`]),
    ...(short ? ['--short'] : []),
  ].join(' ');
}
