/**
 * Renews sessions, each refresh token once. A token that is used twice signs all its successors out, as that is what a
 * thief would do; tabs of one browser share a token, though, and may ask at the same moment. The page has them take turns,
 * and what slips through (a browser without locks, an answer that got lost) is given the same successor for a moment. It
 * holds within one gateway; across several the page's turns have to do.
 */
import { hash } from 'node:crypto';
import type { Session } from '../schemas/sessions.ts';

export const REMEMBERED_MS = 10_000;

export type RenewSession = (refreshToken: string) => Promise<Session>;

export function createRenewals(renew: RenewSession): RenewSession {
  const running = new Map<string, Promise<Session>>();
  return (refreshToken) => {
    const key = hash('sha256', refreshToken, 'base64url');
    const known = running.get(key);
    if (known !== undefined) return known;
    const renewed = renew(refreshToken);
    running.set(key, renewed);
    const forget = () => running.delete(key);
    renewed.then(() => setTimeout(forget, REMEMBERED_MS).unref(), forget);
    return renewed;
  };
}
