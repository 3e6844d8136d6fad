import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { AccountLimits } from '@audiosplit/proto/events/v1/events';
import { accountLimitsChanged } from '../outgoing-events.ts';
import type { Plan } from '../plans/plans.ts';
import { raiseLimitsRevision } from '../store/accounts.ts';
import { toProtoLimits } from './account-limits.ts';

/** Publishes the account's new limits. Runs in the transaction that changes them, with the account's row locked. */
export async function announceLimits(
  db: Queryable,
  accountId: string,
  plan: Plan,
  realTime: Date,
): Promise<AccountLimits> {
  const limits = toProtoLimits(plan, await raiseLimitsRevision(db, accountId));
  await appendToOutbox(db, [accountLimitsChanged(accountId, limits, realTime)]);
  return limits;
}
