/**
 * A secret that changes while the installation runs has two values for a time, a line each: the first one signs and
 * seals, any of them verifies and opens.
 *
 * All processes have to know a value before one of them uses it, so the order is: present and next, next and present, next
 * alone, with every process restarted in between (docs/operations/secrets.md). Failure mode: a value stays good for as long as
 * it is listed. One that has leaked is replaced at once, by a single other one.
 */
import { hmacSha256, isSameSignature } from './hmac.ts';

/** At least one, in the order given. */
export function secretValues(secret: string): readonly [string, ...string[]] {
  const [first = '', ...others] = secret.split(/\s*\n\s*/);
  return [first, ...others];
}

/** HMAC-SHA-256 under the first value. */
export function signText(text: string, secret: string): Buffer {
  return hmacSha256(secretValues(secret)[0], text);
}

/** Whether it is the HMAC-SHA-256 under one of the values; takes as long wherever the two differ. */
export function isSignatureOf(text: string, signature: Buffer, secret: string): boolean {
  return secretValues(secret).some((value) => isSameSignature(signature, hmacSha256(value, text)));
}
