import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { apiKeyChecksum } from '../credentials/api-key-format.ts';

/** A well-formed API key. */
export function newApiKeySecret(): string {
  const random = Array.from(randomBytes(43), (byte) => (byte % 36).toString(36)).join('');
  return `ask_live_${random}${apiKeyChecksum(random)}`;
}

export function sha256Hex(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export interface TestIssuer {
  readonly jwksJson: () => Promise<string>;
  readonly sign: (claims: TokenClaims) => Promise<string>;
}

interface TokenClaims {
  readonly sub: string;
  readonly issuer?: string;
  readonly audience?: string;
  /** Seconds from now. */
  readonly expiresIn?: number;
}

export async function createTestIssuer(clock: Clock, kid = 'first'): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  return {
    jwksJson: async () => JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA' }] }),
    sign: ({ sub, issuer = 'audiosplit', audience = 'audiosplit', expiresIn = 3600 }) => {
      const nowSeconds = Math.floor(clock().getTime() / 1000);
      return new SignJWT({})
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .setSubject(sub)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + expiresIn)
        .sign(privateKey);
    },
  };
}
