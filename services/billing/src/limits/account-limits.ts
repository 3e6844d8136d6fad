import { type AccountLimits, AccountLimitsSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import type { Plan } from '../plans/plans.ts';
import type { BillingAccount } from '../store/accounts.ts';

/** The limits of an effective plan (overrides applied), as other services receive them. */
export function toProtoLimits(
  plan: Plan,
  { limitsRevision, isSpendLimitReached }: Pick<BillingAccount, 'limitsRevision' | 'isSpendLimitReached'>,
): AccountLimits {
  return create(AccountLimitsSchema, {
    planId: plan.id,
    requestsPerMinute: plan.requestsPerMinute,
    concurrentJobs: plan.concurrentJobs,
    maxFileSizeBytes: BigInt(plan.maxFileSizeBytes),
    maxOutputBytes: BigInt(plan.maxOutputBytes),
    monthlyMinutes: plan.monthlyMinutes,
    overageAllowed: plan.overageMillicentsPerMinute !== undefined,
    spendLimitReached: isSpendLimitReached,
    revision: BigInt(limitsRevision),
  });
}
