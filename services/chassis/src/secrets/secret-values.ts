/**
 * While the installation runs, a secret is replaced in steps. It then has two values, a line each: the first
 * signs and seals, all verify and open.
 *
 * All processes must know a value before one of them uses it, so the order is: present and next, next and
 * present, next alone, restarting every process in between (docs/operations/secrets.md). Failure mode: a
 * value stays valid as long as it is listed. Replace a leaked value at once, by a single new one.
 */
import { hmacSha256, isSameSignature } from './hmac.ts';

/** At least one, in the given order. */
export function secretValues(secret: string): readonly [string, ...string[]] {
  const [first = '', ...others] = secret.split(/\s*\n\s*/);
  return [first, ...others];
}

/** HMAC-SHA-256 under the first value. */
export function signText(text: string, secret: string): Buffer {
  return hmacSha256(secretValues(secret)[0], text);
}

/**
 * Whether the signature is the HMAC-SHA-256 under one of the values; takes the same time wherever the two
 * differ.
 */
export function isSignatureOf(text: string, signature: Buffer, secret: string): boolean {
  return secretValues(secret).some((value) => isSameSignature(signature, hmacSha256(value, text)));
}
