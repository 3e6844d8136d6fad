/**
 * Limits the accounts that one caller opens in an hour. Attempts with an address that has an account count
 * too.
 */
import { networkOf } from '@audiosplit/chassis/net/client-network';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { count } from '../metrics.ts';
import { countAttempt } from '../store/attempt-windows.ts';
import { windowIsFull } from './attempt-window.ts';

export const REGISTRATION_WINDOW_MS = 3_600_000;

interface Registration {
  /** Empty: unknown, and not limited. */
  readonly clientIp: string;
  readonly now: Date;
  /** 0: unbounded. */
  readonly perHour: number;
}

/** Throws RATE_LIMITED. */
export async function countRegistration(pool: Pool, { clientIp, now, perHour }: Registration): Promise<void> {
  if (perHour === 0 || clientIp === '') return;
  const subject = `registration ${networkOf(clientIp)}`;
  const windowStart = new Date(now.getTime() - REGISTRATION_WINDOW_MS);
  if (await countAttempt(pool, { subject, at: now, windowStart, limit: perHour })) return;
  count('audiosplit_sign_in_refusals_total', { bound: 'registrations' });
  throw await windowIsFull(pool, {
    subject,
    windowMs: REGISTRATION_WINDOW_MS,
    now,
    what: `More than ${perHour} accounts were registered from this address within an hour`,
  });
}
