/** The notification of a data export that has ended. */
import type { ExportFinished } from '@audiosplit/proto/events/v1/events';
import type { NotificationType } from '@audiosplit/proto/vocabulary';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Notification } from '../delivery/delivery.ts';

const TYPE_OF_STATUS: ReadonlyMap<string, NotificationType> = new Map([
  ['completed', 'export.completed'],
  ['failed', 'export.failed'],
]);

/** Undefined for a status without a notification. */
export function exportNotification(finished: ExportFinished, occurredAt: Date): Notification | undefined {
  const { exportId, status, format, expiresAt } = finished;
  const type = TYPE_OF_STATUS.get(status);
  if (type === undefined) return undefined;
  const data = {
    exportId,
    status,
    format,
    expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt).toISOString(),
  };
  return {
    type,
    subject: exportId,
    body: JSON.stringify({ type, timestamp: occurredAt.toISOString(), data }),
  };
}
