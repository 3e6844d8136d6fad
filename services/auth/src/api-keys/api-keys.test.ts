import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startAuthFixture } from '../auth.fixture.ts';
import { isWellFormedApiKeySecret } from './api-key-secret.ts';
import { DEFAULT_SCOPES } from './scopes.ts';

const DAY_MS = 86_400_000;

describe('API keys', () => {
  const fixture = forSuite(startAuthFixture);

  const newOwner = (scopes?: readonly string[]) => {
    const accountId = newId('acc');
    return { accountId, ...fixture.actingFor(accountId, scopes) };
  };
  type Owner = ReturnType<typeof newOwner>;
  const createKey = async (owner: Owner, fields: { scopes?: string[]; expiresAt?: Date } = {}) => {
    const { apiKey, secret } = await fixture.auth.createApiKey(
      {
        name: 'a key',
        scopes: fields.scopes ?? [],
        ...(fields.expiresAt ? { expiresAt: timestampFromDate(fields.expiresAt) } : {}),
      },
      owner,
    );
    assert(apiKey);
    return { ...apiKey, secret };
  };
  const inFuture = (ms: number) => new Date(fixture.now().getTime() + ms);
  const verify = (secret: string) =>
    fixture.auth.verifyApiKey({ secretSha256: createHash('sha256').update(secret).digest() });
  const fieldOf = async (call: Promise<unknown>) =>
    (await refusal(call, 'INVALID_PARAMS')).violations.map((violation) => violation.field).join();

  describe('creating', () => {
    // Covers I-5.6 I-4.1.2 D-1.18 D-9.18
    it('returns the secret once, and grants all scopes if none are named', async () => {
      const owner = newOwner();
      const { secret, ...key } = await createKey(owner);
      assert(isWellFormedApiKeySecret(secret));
      assert.equal(key.keyPreview, `${secret.slice(0, 13)}…${secret.slice(-4)}`);
      assert.match(key.id, /^key_[0-9a-z]{26}$/);
      assert.deepEqual(key.scopes, DEFAULT_SCOPES);
      assert.equal(key.expiresAt, undefined);
      assert.equal(key.lastUsedAt, undefined);
      const { apiKey } = await fixture.auth.getApiKey({ keyId: key.id }, owner);
      assert.deepEqual(apiKey, key);
    });

    // Covers D-1.17
    it('stores only the SHA-256 of the secret', async () => {
      const { id, secret } = await createKey(newOwner());
      const { rows } = await fixture.pool.query('select * from api_key_secrets where key_id = $1', [id]);
      assert.deepEqual(rows, [
        { key_id: id, sha256: createHash('sha256').update(secret).digest(), grace_ends_at: null },
      ]);
    });

    // Covers D-1.27
    it('INVALID_PARAMS: a name that is empty, too long or not text', async () => {
      for (const name of ['', 'a'.repeat(256), 'a\0b', 'a\nb']) {
        assert.equal(await fieldOf(fixture.auth.createApiKey({ name }, newOwner())), 'name');
      }
    });

    it('INVALID_PARAMS: a scope that does not exist', async () => {
      const scopes = ['splits:read', 'splits:admin'];
      assert.equal(await fieldOf(createKey(newOwner(), { scopes })), 'scopes');
    });

    // Covers D-1.28
    it('INVALID_PARAMS: an expiry that is not in the future', async () => {
      const expiresAt = fixture.now();
      assert.equal(await fieldOf(createKey(newOwner(), { expiresAt })), 'expiresAt');
      const seconds = 10n ** 15n;
      const never = fixture.auth.createApiKey({ name: 'k', expiresAt: { seconds, nanos: 0 } }, newOwner());
      assert.equal(await fieldOf(never), 'expiresAt');
    });

    // Covers D-1.29 D-9.23
    it('INSUFFICIENT_SCOPE: scopes that the creator lacks', async () => {
      const owner = newOwner(['keys:manage', 'splits:read']);
      const info = await refusal(createKey(owner, { scopes: ['splits:write'] }), 'INSUFFICIENT_SCOPE');
      assert.deepEqual(info.acceptedScopes, ['splits:write']);
      await refusal(createKey(owner), 'INSUFFICIENT_SCOPE');
      assert.deepEqual((await createKey(owner, { scopes: ['splits:read'] })).scopes, ['splits:read']);
    });

    // Covers D-1.26
    it('KEY_LIMIT_REACHED: the fifty-first live key, even with concurrent requests', async () => {
      const owner = newOwner();
      await createKey(owner, { expiresAt: inFuture(1_000) });
      const outcomes = await Promise.allSettled(Array.from({ length: 51 }, () => createKey(owner)));
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 49);
      fixture.advance(1_000);
      const { id } = await createKey(owner);
      await refusal(createKey(owner), 'KEY_LIMIT_REACHED');
      await fixture.auth.revokeApiKey({ keyId: id }, owner);
      await createKey(owner);
    });
  });

  describe('updating', () => {
    // Covers I-4.2.1 I-4.2.2 I-2.1.9
    it('changes the given fields, and publishes the change', async () => {
      const owner = newOwner();
      const key = await createKey(owner, { scopes: ['splits:read'] });
      fixture.advance(1_000);
      const expiresAt = timestampFromDate(inFuture(DAY_MS));
      const { apiKey } = await fixture.auth.updateApiKey(
        { keyId: key.id, name: 'renamed', expiry: { case: 'expiresAt', value: expiresAt } },
        owner,
      );
      assert.equal(apiKey?.name, 'renamed');
      assert.deepEqual(apiKey.scopes, ['splits:read']);
      assert.deepEqual(apiKey.expiresAt, expiresAt);
      assert.deepEqual(apiKey.updatedAt, timestampFromDate(fixture.now()));
      assert.equal(apiKey.keyPreview, key.keyPreview);
      const { apiKey: lasting } = await fixture.auth.updateApiKey(
        {
          keyId: key.id,
          scopes: { scopes: ['splits:write', 'splits:write'] },
          expiry: { case: 'removeExpiry', value: true },
        },
        owner,
      );
      assert.deepEqual(lasting?.scopes, ['splits:write']);
      assert.equal(lasting.expiresAt, undefined);
      assert.equal(lasting.name, 'renamed');
      const events = await fixture.published('apiKeyChanged', owner.accountId, 2);
      for (const { payload } of events) {
        assert(payload.case === 'apiKeyChanged');
        assert.equal(payload.value.keyId, key.id);
        assert.equal(payload.value.revoked, false);
      }
    });

    // Covers D-9.21
    it('does nothing for an empty change', async () => {
      const owner = newOwner();
      const { secret: _, ...key } = await createKey(owner);
      fixture.advance(1_000);
      assert.deepEqual((await fixture.auth.updateApiKey({ keyId: key.id }, owner)).apiKey, key);
    });

    it('INVALID_PARAMS: no scopes, a past expiry, an empty name', async () => {
      const owner = newOwner();
      const { id: keyId } = await createKey(owner);
      const past = timestampFromDate(fixture.now());
      const { auth } = fixture;
      assert.equal(await fieldOf(auth.updateApiKey({ keyId, scopes: { scopes: [] } }, owner)), 'scopes');
      assert.equal(await fieldOf(auth.updateApiKey({ keyId, name: '' }, owner)), 'name');
      assert.equal(
        await fieldOf(auth.updateApiKey({ keyId, expiry: { case: 'expiresAt', value: past } }, owner)),
        'expiresAt',
      );
    });

    it('INSUFFICIENT_SCOPE: scopes that the caller lacks', async () => {
      const owner = newOwner();
      const { id: keyId } = await createKey(owner, { scopes: ['splits:read'] });
      const lesser = fixture.actingFor(owner.accountId, ['keys:manage']);
      const scopes = { scopes: ['splits:write'] };
      await refusal(fixture.auth.updateApiKey({ keyId, scopes }, lesser), 'INSUFFICIENT_SCOPE');
    });

    it('KEY_LIMIT_REACHED: reactivating an expired key beside fifty others', async () => {
      const owner = newOwner();
      const { id: keyId } = await createKey(owner, { expiresAt: inFuture(1_000) });
      fixture.advance(1_000);
      await Promise.all(Array.from({ length: 50 }, () => createKey(owner)));
      const revive = () =>
        fixture.auth.updateApiKey({ keyId, expiry: { case: 'removeExpiry', value: true } }, owner);
      await refusal(revive(), 'KEY_LIMIT_REACHED');
    });
  });

  // Covers D-1.23 D-9.7
  it('lists newest first, page by page, without secrets', async () => {
    const owner = newOwner();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      ids.unshift((await createKey(owner)).id);
      fixture.advance(1);
    }
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await fixture.auth.listApiKeys({ page, limit: 2 }, owner));
    assert.deepEqual(
      pages.flatMap((page) => page.apiKeys.map((key) => key.id)),
      ids,
    );
    assert.deepEqual(
      pages.map((page) => page.total),
      [5n, 5n, 5n, 5n],
    );
  });

  it('INVALID_PARAMS: a page or limit out of bounds', async () => {
    const { auth } = fixture;
    assert.equal(await fieldOf(auth.listApiKeys({ page: 0, limit: 20 }, newOwner())), 'page');
    assert.equal(await fieldOf(auth.listApiKeys({ page: 1, limit: 101 }, newOwner())), 'limit');
    assert.equal(await fieldOf(auth.listApiKeys({ page: 1, limit: 0 }, newOwner())), 'limit');
  });

  it('revokes permanently', async () => {
    const owner = newOwner();
    const { id: keyId, secret } = await createKey(owner);
    await fixture.auth.revokeApiKey({ keyId }, owner);
    await refusal(verify(secret), 'UNAUTHORIZED');
    await refusal(fixture.auth.getApiKey({ keyId }, owner), 'NOT_FOUND');
    const [event] = await fixture.published('apiKeyChanged', owner.accountId, 1);
    assert(event?.payload.case === 'apiKeyChanged');
    assert.equal(event.payload.value.revoked, true);
  });

  describe('rotating', () => {
    // Covers D-1.25
    it('returns a new secret, and the old one works for the grace period', async () => {
      const owner = newOwner();
      const key = await createKey(owner, { scopes: ['splits:read'] });
      const rotation = await fixture.auth.rotateApiKey({ keyId: key.id, graceSeconds: 60 }, owner);
      assert.notEqual(rotation.secret, key.secret);
      assert.equal(rotation.apiKey?.id, key.id);
      assert.notEqual(rotation.apiKey.keyPreview, key.keyPreview);
      const old = await verify(key.secret);
      assert.deepEqual(old.expiresAt, timestampFromDate(inFuture(60_000)), 'a cache must forget it by then');
      assert.equal((await verify(rotation.secret)).expiresAt, undefined);
      fixture.advance(60_000);
      await refusal(verify(key.secret), 'UNAUTHORIZED');
      assert.equal((await verify(rotation.secret)).keyId, key.id);
      assert.equal((await fixture.published('apiKeyChanged', owner.accountId, 1)).length, 1);
    });

    it('ends every earlier secret if there is no grace period', async () => {
      const owner = newOwner();
      const { id: keyId, secret: first } = await createKey(owner);
      const { secret: second } = await fixture.auth.rotateApiKey({ keyId, graceSeconds: 3_600 }, owner);
      const { secret: third } = await fixture.auth.rotateApiKey({ keyId, graceSeconds: 0 }, owner);
      await refusal(verify(first), 'UNAUTHORIZED');
      await refusal(verify(second), 'UNAUTHORIZED');
      assert.equal((await verify(third)).keyId, keyId);
    });

    it('INVALID_PARAMS: a grace period out of bounds', async () => {
      const owner = newOwner();
      const { id: keyId } = await createKey(owner);
      for (const graceSeconds of [-1, 604_801]) {
        assert.equal(
          await fieldOf(fixture.auth.rotateApiKey({ keyId, graceSeconds }, owner)),
          'graceSeconds',
        );
      }
    });

    // Covers D-9.23
    it('INSUFFICIENT_SCOPE: a key with more scopes than the caller', async () => {
      const owner = newOwner();
      const { id: keyId } = await createKey(owner);
      const lesser = fixture.actingFor(owner.accountId, ['keys:manage']);
      await refusal(fixture.auth.rotateApiKey({ keyId }, lesser), 'INSUFFICIENT_SCOPE');
    });
  });

  // Covers D-7.3 I-7.6
  it('NOT_FOUND: a key of another account, and an invalid id', async () => {
    const { id } = await createKey(newOwner());
    const stranger = newOwner();
    for (const keyId of [id, newId('key'), 'key_\0', '']) {
      await refusal(fixture.auth.getApiKey({ keyId }, stranger), 'NOT_FOUND');
      await refusal(fixture.auth.updateApiKey({ keyId, name: 'mine' }, stranger), 'NOT_FOUND');
      await refusal(fixture.auth.rotateApiKey({ keyId }, stranger), 'NOT_FOUND');
      await refusal(fixture.auth.revokeApiKey({ keyId }, stranger), 'NOT_FOUND');
    }
    assert.equal((await fixture.auth.listApiKeys({ page: 1, limit: 20 }, stranger)).total, 0n);
  });

  it('INSUFFICIENT_SCOPE: managing keys without keys:manage', async () => {
    const owner = newOwner(['splits:read', 'splits:write']);
    const info = await refusal(createKey(owner, { scopes: ['splits:read'] }), 'INSUFFICIENT_SCOPE');
    assert.deepEqual(info.acceptedScopes, ['keys:manage']);
    await refusal(fixture.auth.listApiKeys({ page: 1, limit: 20 }, owner), 'INSUFFICIENT_SCOPE');
  });

  it('UNAUTHORIZED: managing keys without an account', async () => {
    await refusal(fixture.auth.listApiKeys({ page: 1, limit: 20 }), 'UNAUTHORIZED');
  });

  describe('verifying', () => {
    it('returns the account, the scopes and the limits', async () => {
      const owner = newOwner();
      const key = await createKey(owner, { scopes: ['splits:read'], expiresAt: inFuture(DAY_MS) });
      const verified = await verify(key.secret);
      assert.equal(verified.keyId, key.id);
      assert.equal(verified.accountId, owner.accountId);
      assert.deepEqual(verified.scopes, ['splits:read']);
      assert.deepEqual(verified.expiresAt, key.expiresAt);
      assert.equal(verified.limits?.requestsPerMinute, 10);
    });

    it('UNAUTHORIZED: an unknown secret', async () => {
      await refusal(verify('ask_live_unknown'), 'UNAUTHORIZED');
    });

    // Covers I-5.5 I-7.5
    it('UNAUTHORIZED: an expired key, from the moment of its expiry', async () => {
      const { secret } = await createKey(newOwner(), { expiresAt: inFuture(1_000) });
      fixture.advance(999);
      await verify(secret);
      fixture.advance(1);
      await refusal(verify(secret), 'UNAUTHORIZED');
    });
  });

  // Covers D-1.30 I-2.1.6
  it('records a use at most once a minute per key, and never in the future', async () => {
    const owner = newOwner();
    const { id: keyId } = await createKey(owner);
    const { id: other } = await createKey(owner);
    const use = (at: Date, id = keyId) => ({ keyId: id, usedAt: timestampFromDate(at) });
    const report = (...uses: ReturnType<typeof use>[]) => fixture.auth.recordKeyUse({ uses });
    const lastUse = async () => {
      const { apiKey } = await fixture.auth.getApiKey({ keyId }, owner);
      return apiKey?.lastUsedAt && timestampDate(apiKey.lastUsedAt);
    };
    const first = fixture.now();
    await report(use(new Date(first.getTime() - 5_000)), use(first), use(first, 'key_unknown'));
    assert.deepEqual(await lastUse(), first);
    fixture.advance(59_999);
    await report(use(fixture.now()), use(fixture.now(), other));
    assert.deepEqual(await lastUse(), first);
    fixture.advance(1);
    await report(use(inFuture(DAY_MS)));
    assert.deepEqual(await lastUse(), fixture.now());
    await report();
  });
});
