/** HMAC-SHA-256 (RFC 2104), and the only way to compare an untrusted value with it. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export function hmacSha256(key: string | Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Takes the same time wherever the two differ. */
export function isSameSignature(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
