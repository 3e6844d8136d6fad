import { availableParallelism } from 'node:os';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { type Values, whole } from '../../../deploy/provision/options.ts';
import { FLAWS, type Flaw } from '../faults/flaws.ts';

export const DEFAULT_SEEDS = 10_000;
export const DEFAULT_STEPS = 300;
const MOST = 999_999_999;

const flaw = {
  value: 'NAME',
  help: `breaks the code on purpose: ${FLAWS.join(', ')}`,
  read(name: string, given: string | undefined): Flaw | undefined {
    const known = FLAWS.find((each) => each === given);
    if (known === undefined && given !== undefined)
      throw new StartError(`${name} takes one of: ${FLAWS.join(', ')}`);
    return known;
  },
};

export const SIMULATE = {
  command: 'npm run verify -- simulate',
  about:
    "Without --seed and --flaw the run also breaks the code in each way of --flaw but 'fence ignored', and fails where an invariant does not find it.",
  options: {
    seeds: whole({ least: 1, most: MOST }, DEFAULT_SEEDS, 'seeds to run'),
    from: whole({ least: 0, most: MOST }, 1, 'the first of them'),
    seed: whole({ least: 0, most: MOST }, undefined, "this one alone, as a failure's report names it"),
    steps: whole({ least: 1, most: MOST }, DEFAULT_STEPS, 'calls at ports under faults in each'),
    processes: whole({ least: 1, most: MOST }, availableParallelism(), 'at the same time'),
    flaw,
  },
};

export type SimulateArguments = ReturnType<typeof simulateArguments>;

export function simulateArguments({ seed, ...values }: Values<typeof SIMULATE.options>) {
  const { from, seeds, steps, processes, flaw } = values;
  const every = { firstSeed: from, seeds, steps, processes, flaw, provesFlaws: flaw === undefined };
  return seed === undefined
    ? every
    : { ...every, firstSeed: seed, seeds: 1, processes: 1, provesFlaws: false };
}
