/** Headers of a notification as Standard Webhooks 1.0 lays down. */
import { createHmac } from 'node:crypto';

interface Signed {
  readonly id: string;
  readonly atMs: number;
  readonly body: string;
}

/** `secret` is `whsec_` and base64. */
export function signatureHeaders(secret: string, { id, atMs, body }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
