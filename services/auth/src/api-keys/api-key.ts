/** Validates the fields of an API key. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { isDisplayName, MAX_NAME_LENGTH } from '../sign-in/display-name.ts';

export const MAX_LIVE_KEYS = 50;
/** Time to roll out a new secret. Bounds how long a forgotten one works. */
const MAX_GRACE_SECONDS = 7 * 86_400;
/** The last time that ISO 8601 writes with a four-digit year. */
const LATEST_EXPIRY_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Throws InvalidParamsError. */
export function checkKeyName(name: string): void {
  if (name === '' || !isDisplayName(name)) {
    throw new InvalidParamsError(
      'name',
      `use 1 to ${MAX_NAME_LENGTH} characters, without control characters.`,
    );
  }
}

/** Throws InvalidParamsError. */
export function checkExpiry(expiresAt: Date, now: Date): void {
  if (!(expiresAt > now && expiresAt.getTime() <= LATEST_EXPIRY_MS)) {
    throw new InvalidParamsError('expiresAt', 'give a time in the future, before the year 10000.');
  }
}

/** Throws InvalidParamsError. */
export function checkGrace(graceSeconds: number): void {
  if (graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS) {
    throw new InvalidParamsError('graceSeconds', `give 0 to ${MAX_GRACE_SECONDS} seconds.`);
  }
}

/** An expired key does not work, and does not count towards MAX_LIVE_KEYS. */
export function isLive(key: { readonly expiresAt: Date | null }, now: Date): boolean {
  return key.expiresAt === null || key.expiresAt > now;
}
