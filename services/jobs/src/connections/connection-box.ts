/**
 * Encrypts the secrets of connections under the private key of this process. The secrets outlive the key:
 * those encrypted under a former key are encrypted anew as long as that key is accepted
 * (reseal-connections.ts).
 */
import { createHmac } from 'node:crypto';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { secretValues } from '@audiosplit/chassis/secrets/secret-values';
import type { SealedSecret } from './connection.ts';

export interface ConnectionBox {
  /** The name of the key that encrypts. */
  readonly keyName: string;
  seal(connectionId: string, secret: string): SealedSecret;
  /** Undefined if no accepted key decrypts it. */
  open(connectionId: string, sealed: Buffer): string | undefined;
}

export function createConnectionBox(secret: string): ConnectionBox {
  const box = createSecretBox(secret, 'audiosplit connections');
  const [first] = secretValues(secret);
  const keyName = createHmac('sha256', first)
    .update('name of the key of connections')
    .digest('hex')
    .slice(0, 16);
  return {
    keyName,
    seal: (connectionId, plain) => ({
      sealed: box.seal(Buffer.from(plain), connectionId),
      sealedUnder: keyName,
    }),
    open(connectionId, sealed) {
      try {
        return box.open(sealed, connectionId).toString();
      } catch {
        return undefined;
      }
    },
  };
}
