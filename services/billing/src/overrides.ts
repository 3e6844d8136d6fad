/** Figures that an operator lays over an account's plan. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { Plan, PlanFigures } from './plans.ts';

/** An absent figure is the plan's. */
export type Overrides = { readonly [Figure in keyof PlanFigures]: number | undefined };

/** What makes an account unable to work at all is a mistake; no minutes included is a choice. */
const LEAST: PlanFigures = {
  requestsPerMinute: 1,
  concurrentJobs: 1,
  monthlyMinutes: 0,
  maxFileSizeBytes: 1,
};

/** Throws InvalidParamsError. */
export function checkOverrides(overrides: Overrides): void {
  for (const figure of Object.keys(LEAST) as (keyof PlanFigures)[]) {
    const value = overrides[figure];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= LEAST[figure])) {
      throw new InvalidParamsError(figure, `give a whole number, at least ${LEAST[figure]}.`);
    }
  }
}

export function withOverrides(plan: Plan, overrides: Overrides): Plan {
  return {
    ...plan,
    requestsPerMinute: overrides.requestsPerMinute ?? plan.requestsPerMinute,
    concurrentJobs: overrides.concurrentJobs ?? plan.concurrentJobs,
    monthlyMinutes: overrides.monthlyMinutes ?? plan.monthlyMinutes,
    maxFileSizeBytes: overrides.maxFileSizeBytes ?? plan.maxFileSizeBytes,
  };
}
