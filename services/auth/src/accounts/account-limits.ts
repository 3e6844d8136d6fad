import {
  type AccountLimits as AccountLimitsMessage,
  AccountLimitsSchema,
} from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';

/** What an account may use: its plan's figures, with the operator's overrides applied. */
export interface AccountLimits {
  readonly planId: string;
  readonly requestsPerMinute: number;
  readonly concurrentJobs: number;
  readonly maxFileSizeBytes: number;
  readonly monthlyMinutes: number;
  readonly overageAllowed: boolean;
  /** Grows with every change. */
  readonly revision: number;
}

export function fromProtoLimits(message: AccountLimitsMessage): AccountLimits {
  return {
    planId: message.planId,
    requestsPerMinute: message.requestsPerMinute,
    concurrentJobs: message.concurrentJobs,
    maxFileSizeBytes: Number(message.maxFileSizeBytes),
    monthlyMinutes: message.monthlyMinutes,
    overageAllowed: message.overageAllowed,
    revision: Number(message.revision),
  };
}

export function toProtoLimits(limits: AccountLimits): AccountLimitsMessage {
  return create(AccountLimitsSchema, {
    ...limits,
    maxFileSizeBytes: BigInt(limits.maxFileSizeBytes),
    revision: BigInt(limits.revision),
  });
}
