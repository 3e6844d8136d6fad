import {
  type AccountLimits as AccountLimitsMessage,
  AccountLimitsSchema,
} from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';

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
  /** Undefined: not suspended. */
  readonly suspension: Suspension | undefined;
}

interface Suspension {
  readonly suspendedAt: Date;
  readonly reason: string;
}

export function fromProtoLimits(message: AccountLimitsMessage): AccountLimits {
  const { suspension } = message;
  return {
    planId: message.planId,
    requestsPerMinute: message.requestsPerMinute,
    concurrentJobs: message.concurrentJobs,
    maxFileSizeBytes: Number(message.maxFileSizeBytes),
    monthlyMinutes: message.monthlyMinutes,
    overageAllowed: message.overageAllowed,
    revision: Number(message.revision),
    suspension: suspension?.suspendedAt && {
      suspendedAt: timestampDate(suspension.suspendedAt),
      reason: suspension.reason,
    },
  };
}

export function toProtoLimits({ suspension, ...limits }: AccountLimits): AccountLimitsMessage {
  return create(AccountLimitsSchema, {
    ...limits,
    maxFileSizeBytes: BigInt(limits.maxFileSizeBytes),
    revision: BigInt(limits.revision),
    ...(suspension === undefined
      ? {}
      : { suspension: { ...suspension, suspendedAt: timestampFromDate(suspension.suspendedAt) } }),
  });
}
