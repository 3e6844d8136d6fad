import { type AccountLimits, AccountLimitsSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Plan } from '../plans/plans.ts';
import type { BillingAccount, Suspension } from '../store/accounts.ts';

/** The limits of an effective plan (overrides applied), as other services receive them. */
export function toProtoLimits(
  plan: Plan,
  {
    limitsRevision,
    isSpendLimitReached,
    suspension,
  }: Pick<BillingAccount, 'limitsRevision' | 'isSpendLimitReached' | 'suspension'>,
): AccountLimits {
  return create(AccountLimitsSchema, {
    planId: plan.id,
    requestsPerMinute: plan.requestsPerMinute,
    concurrentJobs: suspension === undefined ? plan.concurrentJobs : 0,
    maxFileSizeBytes: BigInt(plan.maxFileSizeBytes),
    maxOutputBytes: BigInt(plan.maxOutputBytes),
    monthlyMinutes: plan.monthlyMinutes,
    overageAllowed: plan.overageMillicentsPerMinute !== undefined,
    spendLimitReached: isSpendLimitReached,
    revision: BigInt(limitsRevision),
    ...(suspension === undefined ? {} : { suspension: toProtoSuspension(suspension) }),
  });
}

export function toProtoSuspension({ suspendedAt, reason }: Suspension) {
  return { suspendedAt: timestampFromDate(suspendedAt), reason };
}
