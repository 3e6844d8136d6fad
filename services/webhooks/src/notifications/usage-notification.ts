/** The notification that 80 or 100 percent of an account's minutes or money are used. */
import type { UsageThreshold } from '@audiosplit/proto/events/v1/events';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Notification } from '../delivery/delivery.ts';

export function usageNotification(threshold: UsageThreshold, occurredAt: Date): Notification {
  const type = 'usage.threshold';
  const { metric, percent, used, limit, periodStart, periodEnd } = threshold;
  const data = {
    metric,
    percent,
    used: Number(used),
    limit: Number(limit),
    periodStart: toIsoTime(periodStart),
    periodEnd: toIsoTime(periodEnd),
  };
  return {
    type,
    // One subject per account, so that 80 percent comes before 100.
    subject: 'usage',
    body: JSON.stringify({ type, timestamp: occurredAt.toISOString(), data }),
  };
}

function toIsoTime(timestamp: Timestamp | undefined): string {
  if (timestamp === undefined) throw new Error('a usageThreshold without a period');
  return timestampDate(timestamp).toISOString();
}
