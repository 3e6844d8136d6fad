/** Signatures of Standard Webhooks 1.0, https://github.com/standard-webhooks/standard-webhooks. */
import { hmacSha256 } from '@audiosplit/chassis/secrets/hmac';

/** The upper end of what the standard allows is 64 bytes, its lower end 24; 32 match the hash. */
export const SIGNING_KEY_BYTES = 32;

const SECRET_PREFIX = 'whsec_';

/** A signing key as receivers are given it. */
export function formatSecret(key: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(key).toString('base64');
}

interface SignedMessage {
  /** The same on every attempt: receivers drop repeats by it. */
  readonly id: string;
  /** When this attempt is made: receivers refuse what is too old. */
  readonly at: Date;
  readonly body: string;
}

/** The headers that prove the message's origin: one signature for each key, so that either verifies it. */
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
