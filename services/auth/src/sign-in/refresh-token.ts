import { createHash, randomBytes } from 'node:crypto';
import { networkOf } from './sign-in-throttle.ts';

/** 256 random bits: as hard to guess as the hash that stands for it. */
const RANDOM_BYTES = 32;

/** A session ends this long after its sign-in: NIST SP 800-63B, 4.1.3, asks for the password again by then. */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;

export function mintRefreshToken(): string {
  return `art_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** What is stored in place of the token; a fast hash is enough for something that nobody can guess. */
export function sha256OfRefreshToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** As far as the gateway can see it. Empty: not known. */
export interface Client {
  readonly clientIp: string;
  readonly userAgent: string;
}

/** How long after its use a spent token may still come from the client that used it, which has sent it twice. */
const RACE_MS = 10_000;

/** Stands for a client, with its address not in the clear; undefined for one whose address is not known. */
export function digestOfClient(sessionId: string, { clientIp, userAgent }: Client): Buffer | undefined {
  if (clientIp === '') return undefined;
  return createHash('sha256')
    .update(JSON.stringify([sessionId, networkOf(clientIp), userAgent]))
    .digest();
}

export interface TokenUse {
  readonly spentAt: Date;
  /** Null where it is not known. */
  readonly spentBy: Buffer | null;
}

/** Whether a spent token comes from a client that raced with itself: two parties hold it otherwise. */
export function isRace(use: TokenUse, client: Buffer | undefined, now: Date): boolean {
  if (client === undefined || use.spentBy?.equals(client) !== true) return false;
  return now.getTime() - use.spentAt.getTime() <= RACE_MS;
}
