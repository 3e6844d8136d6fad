/**
 * Minutes that a period used beyond its plan. A minute is priced when it is metered: a change of the plan or of the
 * overrides ends one stretch and begins the next, and does not change earlier prices.
 */
import { overageCents } from '../plans/money.ts';
import type { Plan } from '../plans/plans.ts';
import { billedMinutes } from './usage.ts';

/** Minutes of a period that were metered under the same terms. */
export interface OverageStretch {
  /** From the start of the period to the end of this stretch. */
  readonly meteredMinutes: number;
  readonly overageMinutes: number;
  readonly includedMinutes: number;
  readonly millicentsPerMinute: number;
  /** The upgrade's charge that bills them. Undefined: billed at the end of the period. */
  readonly chargeId: string | undefined;
}

/** Overage with the same terms on the same invoice, rounded once. */
export interface PricedOverage extends Omit<OverageStretch, 'meteredMinutes' | 'overageMinutes'> {
  readonly minutes: number;
  readonly cents: number;
}

/** Minutes of the period that cost nothing more: included now, included when metered, or already priced as overage. */
export function coveredMinutes(earlier: readonly OverageStretch[], includedMinutes: number): number {
  const priced = earlier.reduce((sum, { overageMinutes }) => sum + overageMinutes, 0);
  const includedSoFar = meteredSoFar(earlier) - priced;
  return Math.max(includedMinutes, includedSoFar) + priced;
}

/** The current stretch. */
export function runningStretch(
  earlier: readonly OverageStretch[],
  plan: Pick<Plan, 'monthlyMinutes' | 'overageMillicentsPerMinute'>,
  usedMs: number,
): OverageStretch {
  const meteredMinutes = Math.max(billedMinutes(usedMs), meteredSoFar(earlier));
  return {
    meteredMinutes,
    overageMinutes: Math.max(0, meteredMinutes - coveredMinutes(earlier, plan.monthlyMinutes)),
    includedMinutes: plan.monthlyMinutes,
    millicentsPerMinute: plan.overageMillicentsPerMinute ?? 0,
    chargeId: undefined,
  };
}

export function meteredSoFar(earlier: readonly OverageStretch[]): number {
  return Math.max(0, ...earlier.map(({ meteredMinutes }) => meteredMinutes));
}

/** In the order in which the terms first applied. */
export function priceOverage(stretches: readonly OverageStretch[]): readonly PricedOverage[] {
  const sameTerms = Map.groupBy(stretches, (stretch) =>
    JSON.stringify([stretch.chargeId, stretch.includedMinutes, stretch.millicentsPerMinute]),
  );
  return [...sameTerms.values()].flatMap((group) => {
    const minutes = group.reduce((sum, { overageMinutes }) => sum + overageMinutes, 0);
    return group.slice(0, 1).map(({ includedMinutes, millicentsPerMinute, chargeId }) => ({
      includedMinutes,
      millicentsPerMinute,
      chargeId,
      minutes,
      cents: overageCents(minutes, millicentsPerMinute),
    }));
  });
}

export function isUnbilled({ chargeId }: Pick<PricedOverage, 'chargeId'>): boolean {
  return chargeId === undefined;
}

export function sumOverage(priced: readonly PricedOverage[]): {
  readonly minutes: number;
  readonly cents: number;
} {
  return priced.reduce(
    (sum, { minutes, cents }) => ({ minutes: sum.minutes + minutes, cents: sum.cents + cents }),
    { minutes: 0, cents: 0 },
  );
}
