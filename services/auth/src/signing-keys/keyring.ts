/**
 * Signing keys: the Ed25519 keys that sign access tokens. They are stored in Postgres, with the private keys encrypted.
 * A replica caches them and reloads them every minute; a key is published a day before its first use.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { newId } from '@audiosplit/chassis/ids';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import type { SecretBox } from '@audiosplit/chassis/secrets/secret-box';
import type { JWK } from 'jose';
import {
  deleteSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  type SigningKeyRow,
  selectSigningKeys,
} from '../store/signing-keys.ts';
import { nextActivation, outlivedKeys, signingKeyAt } from './signing-key-schedule.ts';

interface SigningKey {
  readonly kid: string;
  readonly activatesAt: Date;
  readonly publicJwk: JWK;
  readonly privateKey: KeyObject;
}

export interface Keyring {
  signingKey(): Promise<SigningKey>;
  /** All keys that may have signed a valid token, and the next one. */
  publicKeys(): Promise<readonly JWK[]>;
}

interface KeyringOptions {
  readonly pool: Pool;
  readonly box: SecretBox;
  readonly clock: Clock;
}

const RELOAD_AFTER_MS = 60_000;

/** Creates the first key if there is none. Throws StartError if the configured secret does not decrypt the keys. */
export async function openKeyring({ pool, box, clock }: KeyringOptions): Promise<Keyring> {
  await rotateSigningKeys(pool, box, clock());
  let loadedAtMs = clock().getTime();
  let keys = await loadKeys(pool, box).catch((error: unknown) => {
    throw new StartError('AUTH_SECRET is not the one that sealed the signing keys in the database', {
      cause: error,
    });
  });

  const current = async (): Promise<readonly SigningKey[]> => {
    const nowMs = clock().getTime();
    if (Math.abs(nowMs - loadedAtMs) >= RELOAD_AFTER_MS) {
      keys = await loadKeys(pool, box);
      loadedAtMs = nowMs;
    }
    return keys;
  };

  return {
    signingKey: async () => signingKeyAt(await current(), clock()),
    publicKeys: async () => (await current()).map((key) => key.publicJwk),
  };
}

/** Creates the next key if it is due and deletes outlived ones. Safe to run at any time, in any replica. */
export async function rotateSigningKeys(pool: Pool, box: SecretBox, now: Date): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockSigningKeys(client);
    const keys = await selectSigningKeys(client);
    const activatesAt = nextActivation(keys, now);
    if (activatesAt !== undefined) await insertSigningKey(client, generateSigningKey(box, activatesAt, now));
    const outlived = outlivedKeys(keys, now);
    await deleteSigningKeys(
      client,
      outlived.map((key) => key.kid),
    );
  });
}

function generateSigningKey(box: SecretBox, activatesAt: Date, now: Date): SigningKeyRow {
  const kid = newId('sgk', now);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    kid,
    publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' },
    sealedPrivateKey: box.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), kid),
    activatesAt,
  };
}

async function loadKeys(pool: Pool, box: SecretBox): Promise<SigningKey[]> {
  const rows = await selectSigningKeys(pool);
  return rows.map(({ kid, activatesAt, publicJwk, sealedPrivateKey }) => ({
    kid,
    activatesAt,
    publicJwk,
    privateKey: createPrivateKey({ key: box.open(sealedPrivateKey, kid), format: 'der', type: 'pkcs8' }),
  }));
}
