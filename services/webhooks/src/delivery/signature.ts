/** Signatures of Standard Webhooks 1.0, https://github.com/standard-webhooks/standard-webhooks. */
import { hmacSha256 } from '@audiosplit/chassis/secrets/hmac';

/** The standard allows 24 to 64 bytes; 32 match the hash. */
export const SIGNING_KEY_BYTES = 32;

const SECRET_PREFIX = 'whsec_';

/** A signing key in the form given to receivers. */
export function formatSecret(key: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(key).toString('base64');
}

interface SignedMessage {
  /** The same on every attempt; receivers use it to drop repeats. */
  readonly id: string;
  /** The time of this attempt; receivers refuse old messages. */
  readonly at: Date;
  readonly body: string;
}

/** The headers that prove the message's origin: one signature for each key, and any of them verifies it. */
export function signatureHeaders(
  { id, at, body }: SignedMessage,
  keys: readonly Uint8Array[],
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map((key) => `v1,${hmacSha256(key, signed).toString('base64')}`).join(' '),
  };
}
