import { type AccountLimits, AccountLimitsSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import type { Plan } from '../plans/plans.ts';

/** The limits that an effective plan (overrides laid over) sets, as other services are told them. */
export function toProtoLimits(plan: Plan, revision: number): AccountLimits {
  return create(AccountLimitsSchema, {
    planId: plan.id,
    requestsPerMinute: plan.requestsPerMinute,
    concurrentJobs: plan.concurrentJobs,
    maxFileSizeBytes: BigInt(plan.maxFileSizeBytes),
    monthlyMinutes: plan.monthlyMinutes,
    overageAllowed: plan.overageMillicentsPerMinute !== undefined,
    revision: BigInt(revision),
  });
}
