import { createHash, randomBytes } from 'node:crypto';

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
