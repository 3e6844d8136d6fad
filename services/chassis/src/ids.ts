import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new identifier `<prefix>_<26 characters>`: 48 bits of time in milliseconds, then 80 random bits, in
 * Crockford's base 32. Identifiers of one prefix sort by creation time, which keeps inserts in the same pages
 * of an index.
 */
export function newId(prefix: string, now: Date = new Date()): string {
  let time = now.getTime();
  let timePart = '';
  for (let digit = 0; digit < 10; digit++) {
    timePart = ALPHABET.charAt(time % 32) + timePart;
    time = Math.floor(time / 32);
  }
  let randomPart = '';
  for (const byte of randomBytes(16)) randomPart += ALPHABET.charAt(byte & 31);
  return `${prefix}_${timePart}${randomPart}`;
}

/** Whether `value` has the form of newId with this prefix. */
export function isId(prefix: string, value: string): boolean {
  return (
    value.length === prefix.length + 27 &&
    value.startsWith(`${prefix}_`) &&
    /^[0-9a-z]+$/.test(value.slice(prefix.length + 1))
  );
}
