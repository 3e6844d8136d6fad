import { type AccountLimits, AccountLimitsSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Plan } from '../plans/plans.ts';
import type { BillingAccount, Suspension } from '../store/accounts.ts';
import { spendLimitCents } from '../usage/spend-limit.ts';

/** The limits of an effective plan (overrides applied), as other services receive them. */
export function toProtoLimits(
  plan: Plan,
  account: Pick<BillingAccount, 'limitsRevision' | 'isSpendLimitReached' | 'suspension' | 'ownSpendLimit'>,
): AccountLimits {
  const { limitsRevision, isSpendLimitReached, suspension } = account;
  const overageAllowed = plan.overageMillicentsPerMinute !== undefined;
  const limitCents = overageAllowed ? spendLimitCents(account, { planId: plan.id }, plan) : undefined;
  return create(AccountLimitsSchema, {
    planId: plan.id,
    requestsPerMinute: plan.requestsPerMinute,
    concurrentJobs: suspension === undefined ? plan.concurrentJobs : 0,
    maxFileSizeBytes: BigInt(plan.maxFileSizeBytes),
    maxOutputBytes: BigInt(plan.maxOutputBytes),
    monthlyMinutes: plan.monthlyMinutes,
    overageAllowed,
    spendLimitReached: isSpendLimitReached,
    ...(limitCents === undefined ? {} : { spendLimitCents: BigInt(limitCents) }),
    revision: BigInt(limitsRevision),
    ...(suspension === undefined ? {} : { suspension: toProtoSuspension(suspension) }),
  });
}

export function toProtoSuspension({ suspendedAt, reason }: Suspension) {
  return { suspendedAt: timestampFromDate(suspendedAt), reason };
}
