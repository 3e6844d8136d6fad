/**
 * Authenticated encryption of small secrets at rest: AES-256-GCM under a key derived from the configured
 * secret by HKDF-SHA-256. A sealed value is nonce (12 bytes), tag (16), ciphertext. A secret of several
 * values (secret-values.ts) seals under the first and opens under any.
 *
 * Failure modes: opening throws for another secret, another context or altered bytes. The random nonce bounds
 * one secret to about 2^32 seals (NIST SP 800-38D, 8.3), far above a key a month.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { secretValues } from './secret-values.ts';

export interface SecretBox {
  /** `context` identifies the value's place: a value copied to another row does not open there. */
  seal(plaintext: Uint8Array, context: string): Buffer;
  open(sealed: Uint8Array, context: string): Buffer;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `purpose` separates the keys derived from one secret. */
export function createSecretBox(secret: string, purpose: string): SecretBox {
  const [first, ...others] = secretValues(secret);
  const keyOf = (value: string) => Buffer.from(hkdfSync('sha256', value, '', purpose, KEY_BYTES));
  const sealingKey = keyOf(first);
  const keys = [sealingKey, ...others.map(keyOf)];
  return {
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, sealingKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, context) {
      let refusal: unknown;
      for (const key of keys) {
        try {
          return openWith(key, sealed, context);
        } catch (error) {
          refusal = error;
        }
      }
      throw refusal;
    },
  };
}

function openWith(key: Buffer, sealed: Uint8Array, context: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
