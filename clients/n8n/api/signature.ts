/** Checks a notification as Standard Webhooks 1.0 lays down. */
import { createHmac, timingSafeEqual } from 'node:crypto';

interface SignedNotification {
  readonly headers: Readonly<Record<string, unknown>>;
  /** As it came. */
  readonly body: Buffer;
  readonly nowMs: number;
}

const TOLERANCE_SECONDS = 300;

/** `secret` is `whsec_` and base64. While a secret is replaced there are two signatures; one that is right is enough. */
export function isGenuine(secret: string, { headers, body, nowMs }: SignedNotification): boolean {
  const id = String(headers['webhook-id'] ?? '');
  const timestamp = String(headers['webhook-timestamp'] ?? '');
  const isRecent =
    /^\d+$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  if (!isRecent || id === '') return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return String(headers['webhook-signature'] ?? '')
    .split(' ')
    .some((each) => {
      const [version, signature = ''] = each.split(',');
      const given = Buffer.from(signature, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}
