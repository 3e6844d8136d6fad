/** A subscription: a plan paid month by month, from the moment of subscribing on. */

export type SubscriptionStatus = 'active' | 'past_due' | 'unpaid' | 'canceled';

export interface Subscription {
  readonly id: string;
  readonly accountId: string;
  readonly planId: string;
  /** After a downgrade: the plan of the next period. */
  readonly scheduledPlanId: string | undefined;
  readonly status: SubscriptionStatus;
  readonly anchorAt: Date;
  /** Of the running period, from 0. */
  readonly periodNumber: number;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  /** What the running period has cost so far, overage aside. */
  readonly baseCents: number;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelReason: string | undefined;
  /** Undefined while it runs. */
  readonly endedAt: Date | undefined;
}

/**
 * When an open invoice is charged, in days from its issue: eight tries over fourteen days. While they last the
 * account keeps its plan.
 */
const CHARGE_DAYS = [0, 1, 2, 4, 6, 8, 11, 14] as const;
const DAY_MS = 86_400_000;

/**
 * When the try after one at `triedAt` is due; undefined after the last. Tries in between, with a new card, use up none
 * of the eight.
 */
export function nextChargeAt(issuedAt: Date, triedAt: Date): Date | undefined {
  const times = CHARGE_DAYS.map((days) => new Date(issuedAt.getTime() + days * DAY_MS));
  return times.find((time) => time > triedAt);
}
