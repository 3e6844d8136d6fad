import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { FLAWS, type Flaw } from '../faults/flaws.ts';

export const DEFAULT_SEEDS = 10_000;
export const DEFAULT_STEPS = 300;

export interface SimulateArguments {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Calls at ports under faults, for each seed. */
  readonly steps: number;
  readonly processes: number;
  readonly flaw: Flaw | undefined;
  /** Whether each flaw is put in as well and has to be found. */
  readonly provesFlaws: boolean;
  readonly help: boolean;
}

export const SIMULATE_HELP = `Usage: npm run verify -- simulate [options]

  --seeds N         seeds to run (${DEFAULT_SEEDS})
  --from N          the first of them (1)
  --seed N          this one alone, as a failure's report names it
  --steps N         calls at ports under faults in each (${DEFAULT_STEPS})
  --processes N     at the same time (one per core)
  --flaw NAME       breaks the code on purpose: ${FLAWS.join(', ')}

Without --seed and --flaw the run also breaks the code in each of these ways but 'fence ignored', and fails where an
invariant does not find it.
`;

/** Throws StartError. */
export function parseSimulate(args: readonly string[]): SimulateArguments {
  const { values } = parse(args);
  const single = values.seed === undefined ? undefined : whole('--seed', values.seed, 0);
  const { flaw } = values;
  if (flaw !== undefined && !isFlaw(flaw)) throw new StartError(`--flaw takes one of: ${FLAWS.join(', ')}`);
  return {
    firstSeed: single ?? whole('--from', values.from, 0),
    seeds: single === undefined ? whole('--seeds', values.seeds, 1) : 1,
    steps: whole('--steps', values.steps, 1),
    processes: single === undefined ? whole('--processes', values.processes, 1) : 1,
    flaw,
    provesFlaws: single === undefined && flaw === undefined,
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string', default: String(DEFAULT_SEEDS) },
        from: { type: 'string', default: '1' },
        seed: { type: 'string' },
        steps: { type: 'string', default: String(DEFAULT_STEPS) },
        processes: { type: 'string', default: String(availableParallelism()) },
        flaw: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartError(`${(error as Error).message} See npm run verify -- simulate --help.`);
  }
}

function isFlaw(text: string): text is Flaw {
  return FLAWS.some((flaw) => flaw === text);
}

function whole(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least) return value;
  throw new StartError(`${option} takes a whole number from ${least} on, not ${JSON.stringify(text)}.`);
}
