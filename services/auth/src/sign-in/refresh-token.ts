import { createHash, randomBytes } from 'node:crypto';
import { networkOf } from '@audiosplit/chassis/net/client-network';

/** 256 random bits, the length of the hash. */
const RANDOM_BYTES = 32;

/** Counts from the sign-in. NIST SP 800-63B, 4.1.3, requires the password again after 30 days. */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;

export function mintRefreshToken(): string {
  return `art_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** Stored instead of the token. A fast hash is enough for a random token. */
export function sha256OfRefreshToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The client as the gateway sees it. Empty: unknown. */
export interface Client {
  readonly clientIp: string;
  readonly userAgent: string;
}

/** Within this time after its use, a repeat of a token by the same client counts as a race, not as theft. */
const RACE_MS = 10_000;

/** Identifies a client without storing its address. Undefined if the address is unknown. */
export function digestOfClient(sessionId: string, { clientIp, userAgent }: Client): Buffer | undefined {
  if (clientIp === '') return undefined;
  return createHash('sha256')
    .update(JSON.stringify([sessionId, networkOf(clientIp), userAgent]))
    .digest();
}

export interface TokenUse {
  readonly spentAt: Date;
  /** Null: unknown. */
  readonly spentBy: Buffer | null;
}

/** Whether the client that spent a token sent it twice. Otherwise two parties hold it. */
export function isRace(use: TokenUse, client: Buffer | undefined, now: Date): boolean {
  if (client === undefined || use.spentBy?.equals(client) !== true) return false;
  return now.getTime() - use.spentAt.getTime() <= RACE_MS;
}
