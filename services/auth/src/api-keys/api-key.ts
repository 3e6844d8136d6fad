/** The rules of an API key's fields. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { isDisplayName, MAX_NAME_LENGTH } from '../sign-in/display-name.ts';

export const MAX_LIVE_KEYS = 50;
/** A week is enough to roll a new secret out, and bounds how long a forgotten one lives on. */
export const MAX_GRACE_SECONDS = 7 * 86_400;
/** Times beyond it have no ISO 8601 form of four-digit years. */
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

/** An expired key does not count against the number of keys, and does not work. */
export function isLive(key: { readonly expiresAt: Date | null }, now: Date): boolean {
  return key.expiresAt === null || key.expiresAt > now;
}
