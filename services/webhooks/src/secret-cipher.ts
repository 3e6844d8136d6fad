/**
 * Encrypts signing keys at rest with AES-256-GCM. The cipher's own key comes out of the installation's
 * secret by HKDF-SHA-256, with an info text of this service's own: where one secret serves several
 * services, none of them can read what another has encrypted.
 *
 * A sealed key is 12 bytes of nonce, the ciphertext, 16 bytes of tag. The owner is authenticated along with
 * it, so a sealed key moved to another account's row does not open. Opening under another secret throws:
 * a changed WEBHOOKS_SECRET holds deliveries back until it is put right.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface SecretCipher {
  seal(key: Uint8Array, owner: string): Buffer;
  /** Throws for what was not sealed for this owner under this secret. */
  open(sealed: Buffer, owner: string): Buffer;
}

// NIST SP 800-38D, 8.2: 96 bits of nonce; random ones are safe for 2^32 messages, one per rotation here.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSecretCipher(secret: string): SecretCipher {
  const cipherKey = Buffer.from(hkdfSync('sha256', secret, '', 'audiosplit webhook signing keys', 32));
  return {
    seal(key, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from(owner));
      return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, owner) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const ciphertext = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(owner))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    },
  };
}
