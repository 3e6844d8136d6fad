/**
 * Renews sessions, each refresh token once. Tabs of one browser share a token and may ask at the same moment. The page
 * has them take turns, and what slips through (a browser without locks, an answer that got lost) gets the same successor
 * for a moment. It holds within one gateway; across several the page's turns have to do, and one that still comes too late
 * is refused without ending the session (decision 43).
 */
import { hash } from 'node:crypto';
import type { clientOf } from '../http/server/client-address.ts';
import type { Session } from '../schemas/sessions.ts';

export const REMEMBERED_MS = 10_000;

export type RenewSession = (refreshToken: string, client: ReturnType<typeof clientOf>) => Promise<Session>;

export function createRenewals(renew: RenewSession): RenewSession {
  const running = new Map<string, Promise<Session>>();
  return (refreshToken, client) => {
    const key = hash('sha256', refreshToken, 'base64url');
    const known = running.get(key);
    if (known !== undefined) return known;
    const renewed = renew(refreshToken, client);
    running.set(key, renewed);
    const forget = () => running.delete(key);
    renewed.then(() => setTimeout(forget, REMEMBERED_MS).unref(), forget);
    return renewed;
  };
}
