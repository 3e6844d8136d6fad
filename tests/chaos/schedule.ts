/** The faults of a run with targets, durations and pauses, decided by the seed before anything runs. */
import { createRandom, type Random } from '../harness/random.ts';
import type { Fault, Injection } from './faults/fault.ts';
import type { RunShape } from './run-shape.ts';

export interface ScheduleOptions {
  readonly seed: number;
  readonly injections: number;
  /** Not empty. */
  readonly faults: readonly Fault[];
  readonly shape: RunShape;
  /** Between two injections. */
  readonly pauseMs: readonly [number, number];
}

/** Every fault comes once before any is repeated, each round in random order. */
export function planInjections(options: ScheduleOptions): Injection[] {
  const { seed, injections, faults, shape, pauseMs } = options;
  const random = createRandom(seed);
  const plan: Injection[] = [];
  while (plan.length < injections) {
    for (const fault of shuffled(faults, random).slice(0, injections - plan.length)) {
      plan.push({
        number: plan.length + 1,
        fault,
        target: random.pick(fault.targets(shape)),
        holdMs: random.between(...(fault.holdMs?.(shape) ?? [0, 0])),
        pauseMs: random.between(...pauseMs),
        random: createRandom(random.between(1, 1_000_000)),
      });
    }
  }
  return plan;
}

/** The things that no other fault may break at the same time. */
export function claimsOf({ fault, target }: Injection, shape: RunShape): readonly string[] {
  return fault.claims?.(target, shape) ?? [target];
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = random.between(0, last);
    const [one, two] = [result[last], result[other]];
    if (one !== undefined && two !== undefined) [result[last], result[other]] = [two, one];
  }
  return result;
}
