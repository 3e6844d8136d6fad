/** The notification of a data export that has ended. */
import type { ExportFinished } from '@audiosplit/proto/events/v1/events';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Notification } from '../delivery/delivery.ts';

const TYPE_OF_STATUS: ReadonlyMap<string, string> = new Map([
  ['completed', 'export.completed'],
  ['failed', 'export.failed'],
]);

/** Undefined for an export without webhookUrl, and for a status without a notification. */
export function exportNotification(finished: ExportFinished, occurredAt: Date): Notification | undefined {
  const { exportId, status, format, expiresAt, webhookUrl } = finished;
  const type = TYPE_OF_STATUS.get(status);
  if (type === undefined || webhookUrl === undefined) return undefined;
  const data = {
    exportId,
    status,
    format,
    expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt).toISOString(),
  };
  return {
    type,
    subject: exportId,
    url: webhookUrl,
    body: JSON.stringify({ type, timestamp: occurredAt.toISOString(), data }),
  };
}
