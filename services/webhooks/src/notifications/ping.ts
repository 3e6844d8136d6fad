/** The notification that tests an account's endpoint. */
import { type Notification, PING } from '../delivery/delivery.ts';

/** Has a subject of its own, so it waits for no other notification. */
export function pingNotification(subject: string, occurredAt: Date): Notification {
  const body = JSON.stringify({ type: PING, timestamp: occurredAt.toISOString(), data: {} });
  return { type: PING, subject, body };
}
