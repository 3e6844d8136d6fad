/** Subscriptions: a plan paid monthly, starting with the moment of subscribing. */

export type SubscriptionStatus = 'active' | 'past_due' | 'unpaid' | 'canceled';

export interface Subscription {
  readonly id: string;
  readonly accountId: string;
  readonly planId: string;
  /** After a downgrade: the plan of the next period. */
  readonly scheduledPlanId: string | undefined;
  readonly status: SubscriptionStatus;
  readonly anchorAt: Date;
  /** Number of the current period, from 0. */
  readonly periodNumber: number;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  /** The fees of the current period so far, without overage. */
  readonly baseCents: number;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelReason: string | undefined;
  /** Undefined while it runs. */
  readonly endedAt: Date | undefined;
}

/** Days after its issue on which an open invoice is charged. The account keeps its plan during these attempts. */
const CHARGE_DAYS = [0, 1, 2, 4, 6, 8, 11, 14] as const;
const DAY_MS = 86_400_000;
/** From its issue to the last attempt. */
export const CHARGED_FOR_MS = (CHARGE_DAYS.at(-1) ?? 0) * DAY_MS;

/**
 * When the attempt after the one at `triedAt` is due; undefined after the last. Extra attempts with a new
 * card do not count.
 */
export function nextChargeAt(issuedAt: Date, triedAt: Date): Date | undefined {
  const times = CHARGE_DAYS.map((days) => new Date(issuedAt.getTime() + days * DAY_MS));
  return times.find((time) => time > triedAt);
}
