/**
 * Renews sessions, each refresh token once. Tabs of a browser share a token and take turns. If two still
 * renew at the same time (no locks, a lost response), both get the same successor for a short time. This
 * applies within one gateway; on another one the second renewal is rejected without ending the session
 * (decision 43).
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
