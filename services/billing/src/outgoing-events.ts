/** The events that billing publishes, each as a message of its outbox. */
import { eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import type { OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import type { AccountLimits } from '@audiosplit/proto/events/v1/events';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Refund } from './refunds/refund.ts';
import type { UsageThreshold } from './store/usage-thresholds.ts';
import type { UsagePeriod } from './usage/usage-period.ts';

export function accountLimitsChanged(accountId: string, limits: AccountLimits, now: Date): OutboxMessage {
  return eventMessage(accountId, now, { case: 'accountLimitsChanged', value: { limits } });
}

export function accountSuspensionChanged(
  accountId: string,
  change: { readonly suspended: boolean; readonly reason: string },
  now: Date,
): OutboxMessage {
  return eventMessage(accountId, now, { case: 'accountSuspensionChanged', value: change });
}

export function refundChanged(
  { accountId, amountCents, currency, reason, state }: Refund,
  invoiceNumber: string,
  now: Date,
): OutboxMessage {
  const value = { invoiceNumber, amountCents: BigInt(amountCents), currency, reason, status: state };
  return eventMessage(accountId, now, { case: 'refundChanged', value });
}

export function usageThresholdReached(
  accountId: string,
  {
    metric,
    percent,
    used,
    limit,
    period,
  }: UsageThreshold & { readonly used: number; readonly limit: number; readonly period: UsagePeriod },
  now: Date,
): OutboxMessage {
  return eventMessage(accountId, now, {
    case: 'usageThreshold',
    value: {
      accountId,
      metric,
      percent,
      used: BigInt(used),
      limit: BigInt(limit),
      periodStart: timestampFromDate(period.start),
      periodEnd: timestampFromDate(period.end),
    },
  });
}
