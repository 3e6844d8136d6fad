import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openPool, type Pool } from '@audiosplit/chassis/postgres/pool';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { failTest } from '@audiosplit/chassis/testing/service-context';
import { createTestDatabase, type TestDatabase } from '@audiosplit/chassis/testing/test-database';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { AUTH_MIGRATIONS_DIR, AUTH_SCHEMA } from '../schema.ts';
import { createAccessTokenIssuer } from '../sign-in/access-token.ts';
import { selectSigningKeys } from '../store/signing-keys.ts';
import { type Keyring, openKeyring, rotateSigningKeys } from './keyring.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the keyring', () => {
  const box = createSecretBox('a secret of more than thirty-two bytes', 'test');
  let database: TestDatabase;
  let pool: Pool;
  let nowMs: number;
  const clock = () => new Date(nowMs);

  before(async () => {
    database = await createTestDatabase([{ schema: AUTH_SCHEMA, migrationsDir: AUTH_MIGRATIONS_DIR }]);
    pool = openPool({
      url: database.url,
      schema: AUTH_SCHEMA,
      maxConnections: 5,
      onError: failTest,
    });
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    nowMs = Date.UTC(2026, 0, 1);
    await pool.query('delete from signing_keys');
  });

  const open = () => openKeyring({ pool, box, clock });
  const issuerOf = (keyring: Keyring) =>
    createAccessTokenIssuer({ keyring, issuer: 'iss', audience: 'aud', clock });
  const kidsOf = async (keyring: Keyring) => (await keyring.publicKeys()).map((key) => key.kid);
  const verify = async (token: string, keyring: Keyring) => {
    const keys = createLocalJWKSet({ keys: [...(await keyring.publicKeys())] as { kty: string }[] });
    return jwtVerify(token, keys, { currentDate: clock() });
  };

  // Covers D-1.14
  it('rotates, and every valid token still verifies', async () => {
    const keyring = await open();
    const issue = issuerOf(keyring);
    const token = await issue('acc_1', 'ses_1');
    const firstKid = decodeProtectedHeader(token).kid;

    nowMs += 29 * DAY_MS;
    await rotateSigningKeys(pool, box, clock());
    const published = await kidsOf(keyring);
    assert.equal(published.length, 2);
    assert.equal(
      decodeProtectedHeader(await issue('acc_1', 'ses_1')).kid,
      firstKid,
      'published, not yet in use',
    );

    nowMs += DAY_MS - 1;
    const lastOfFirst = await issue('acc_1', 'ses_1');
    assert.equal(decodeProtectedHeader(lastOfFirst).kid, firstKid);
    nowMs += 1;
    const firstOfSecond = await issue('acc_1', 'ses_1');
    assert.equal(decodeProtectedHeader(firstOfSecond).kid, published[1]);

    nowMs += HOUR_MS - 2_000;
    await rotateSigningKeys(pool, box, clock());
    await verify(lastOfFirst, keyring);
    await verify(firstOfSecond, keyring);

    nowMs += 6 * 60_000;
    await rotateSigningKeys(pool, box, clock());
    nowMs += 60_000;
    assert.deepEqual(await kidsOf(keyring), [published[1]]);
  });

  it('creates one first key for replicas that start together', async () => {
    const keyrings = await Promise.all([open(), open(), open()]);
    assert.equal((await selectSigningKeys(pool)).length, 1);
    const token = await issuerOf(keyrings[0])('acc_1', 'ses_1');
    await verify(token, keyrings[2]);
  });

  it('keeps its keys across restarts', async () => {
    const token = await issuerOf(await open())('acc_1', 'ses_1');
    await verify(token, await open());
  });

  it('encrypts private keys at rest', async () => {
    const { privateKey } = await (await open()).signingKey();
    const { d } = privateKey.export({ format: 'jwk' });
    const [row] = await selectSigningKeys(pool);
    assert(row && d);
    assert.equal(row.sealedPrivateKey.includes(Buffer.from(d, 'base64url')), false);
    assert.equal(JSON.stringify(row.publicJwk).includes(d), false);
  });

  it('does not start with a secret other than the one that encrypted the keys', async () => {
    await open();
    const other = createSecretBox('another secret of more than thirty-two bytes', 'test');
    await assert.rejects(openKeyring({ pool, box: other, clock }), StartError);
  });
});
