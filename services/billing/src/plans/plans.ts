/** Plans: the catalogue of what each plan includes and costs. */

export interface PlanFigures {
  readonly requestsPerMinute: number;
  readonly concurrentJobs: number;
  readonly monthlyMinutes: number;
  readonly maxFileSizeBytes: number;
  /** For all segments of a job together. */
  readonly maxOutputBytes: number;
}

export interface Plan extends PlanFigures {
  readonly id: string;
  readonly name: string;
  /** Always 0 on the Free plan, whatever the overrides are. */
  readonly pricePerMonthCents: number;
  readonly currency: 'usd';
  /** Thousandths of a cent per minute beyond the included ones. Undefined: no overage, further work is rejected. */
  readonly overageMillicentsPerMinute: number | undefined;
}

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;

export const FREE_PLAN: Plan = {
  id: 'plan_free',
  name: 'Free',
  requestsPerMinute: 10,
  concurrentJobs: 2,
  monthlyMinutes: 60,
  maxFileSizeBytes: 100 * MEBIBYTE,
  maxOutputBytes: GIBIBYTE,
  pricePerMonthCents: 0,
  currency: 'usd',
  overageMillicentsPerMinute: undefined,
};

/** From the smallest to the largest. Enterprise's figures are the defaults that an operator overrides. */
export const PLANS: readonly Plan[] = [
  FREE_PLAN,
  {
    id: 'plan_starter',
    name: 'Starter',
    requestsPerMinute: 60,
    concurrentJobs: 5,
    monthlyMinutes: 500,
    maxFileSizeBytes: 500 * MEBIBYTE,
    maxOutputBytes: 5 * GIBIBYTE,
    pricePerMonthCents: 900,
    currency: 'usd',
    overageMillicentsPerMinute: 2_000,
  },
  {
    id: 'plan_pro',
    name: 'Pro',
    requestsPerMinute: 300,
    concurrentJobs: 20,
    monthlyMinutes: 5_000,
    maxFileSizeBytes: 2 * GIBIBYTE,
    maxOutputBytes: 25 * GIBIBYTE,
    pricePerMonthCents: 4_900,
    currency: 'usd',
    overageMillicentsPerMinute: 1_000,
  },
  {
    id: 'plan_enterprise',
    name: 'Enterprise',
    requestsPerMinute: 1_000,
    concurrentJobs: 50,
    monthlyMinutes: 50_000,
    maxFileSizeBytes: 10 * GIBIBYTE,
    maxOutputBytes: 100 * GIBIBYTE,
    pricePerMonthCents: 29_900,
    currency: 'usd',
    overageMillicentsPerMinute: 800,
  },
];

/** Throws for an unknown id: ids from requests are validated before. */
export function planOf(id: string): Plan {
  const plan = PLANS.find((candidate) => candidate.id === id);
  if (plan === undefined) throw new Error(`there is no plan ${id}`);
  return plan;
}
