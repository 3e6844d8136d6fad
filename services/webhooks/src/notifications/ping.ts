/** The notification by which an account tries its endpoint. */
import { type Notification, PING } from '../delivery/delivery.ts';

/** Its subject is its own, so that it waits for no other. */
export function pingNotification(subject: string, occurredAt: Date): Notification {
  const body = JSON.stringify({ type: PING, timestamp: occurredAt.toISOString(), data: {} });
  return { type: PING, subject, body };
}
