/** Accounts, tokens and API keys, from registration to revocation. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD } from '../harness/accounts/open-account.ts';
import { assertRateLimitHeaders, assertRefused, assertRefuses, call, connect, register } from './api.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

// Covers D-1.1 D-1.2 D-1.5 D-1.9 D-1.10 D-9.25
scenario('an account is registered once, signs in, and its refresh token works once', {}, async (product) => {
  const session = await register(product);
  assert.match(session.account.id, /^acc_/);
  assert.equal(session.tokenType, 'Bearer');
  assert.equal(session.expiresIn, 3_600);
  const { email } = session.account;
  const client = connect(product);
  const taken = { email: email.toUpperCase(), password: PASSWORD };
  await assertRefuses(client.register(taken), 409, 'EMAIL_TAKEN');
  const short = { email: 'short@example.com', password: 'short' };
  await assertRefuses(client.register(short), 400, 'INVALID_PARAMS');

  const signedIn = await client.login({ email, password: PASSWORD });
  assert.equal(signedIn.account.id, session.account.id);
  const wrong = { email, password: `${PASSWORD}!` };
  assertRateLimitHeaders(await assertRefuses(client.login(wrong), 401, 'UNAUTHORIZED'), 60);

  const { refreshToken } = signedIn;
  const renewed = await client.refreshSession({ refreshToken });
  assert.notEqual(renewed.refreshToken, refreshToken);
  await assertRefuses(client.refreshSession({ refreshToken }), 401, 'UNAUTHORIZED');
  // The client has sent it twice, so the second request is refused. A caller that replays it may have stolen
  // it, so its whole family becomes invalid.
  const next = await client.refreshSession({ refreshToken: renewed.refreshToken });
  const stolen = { body: { refreshToken }, headers: { 'user-agent': 'another program' } };
  assertRefused(await call(product, 'POST /api/v1/auth/refresh', stolen), 401, 'UNAUTHORIZED');
  const descendant = { refreshToken: next.refreshToken };
  await assertRefuses(client.refreshSession(descendant), 401, 'UNAUTHORIZED');
});

// Covers D-1.11
scenario('signing out ends a refresh token', {}, async (product) => {
  const { refreshToken } = await register(product);
  const client = connect(product);
  await client.logout({ refreshToken });
  await assertRefuses(client.refreshSession({ refreshToken }), 401, 'UNAUTHORIZED');
});

// Covers I-2.1.1 I-4.1.2 I-5.5 I-5.6 I-2.1.3 D-1.16 D-1.18 D-1.23
scenario(
  'a key is created with its secret, which is shown once',
  { covers: ['POST /api/v1/api-keys'] },
  async (product) => {
    const { client } = await register(product);
    const created = await client.createApiKey({ name: 'Everything' });
    assert.match(created.id, /^key_/);
    assert.match(created.key, /^ask_live_[0-9A-Za-z]{49}$/);
    assert.deepEqual([...created.scopes].sort(), ['keys:manage', 'splits:read', 'splits:write']);
    assert.equal(created.expiresAt ?? null, null);
    assert.deepEqual((await connect(product, { apiKey: created.key }).listSplits()).data, []);

    const listed = await client.listApiKeys();
    const [key, ...others] = listed.data;
    assert.deepEqual([key?.id, others], [created.id, []]);
    assert.equal(JSON.stringify(listed).includes(created.key), false);
    assert.equal(key?.keyPreview, `${created.key.slice(0, 13)}…${created.key.slice(-4)}`);
  },
);

// Covers I-4.2.1 I-4.2.2 I-4.2.4 D-7.3
scenario(
  'a key is renamed, restricted and given an expiry; omitted fields are unchanged',
  { covers: ['PATCH /api/v1/api-keys/:keyId'] },
  async (product) => {
    const { client } = await register(product);
    const { id, key } = await client.createApiKey({ name: 'First' });
    const renamed = await client.updateApiKey(id, { name: 'Second' });
    assert.equal(renamed.name, 'Second');
    assert.equal(renamed.scopes.length, 3);
    assert.equal('key' in renamed, false);
    assert.ok(renamed.keyPreview !== undefined && renamed.updatedAt !== undefined);

    const expiresAt = '2099-01-01T00:00:00.000Z';
    const narrowed = await client.updateApiKey(id, { scopes: ['splits:read'], expiresAt });
    const { name, scopes } = narrowed;
    assert.deepEqual([name, scopes, narrowed.expiresAt], ['Second', ['splits:read'], expiresAt]);
    await assertRefuses(connect(product, { apiKey: key }).createUpload(), 403, 'INSUFFICIENT_SCOPE');

    const endless = await client.updateApiKey(id, { expiresAt: null });
    assert.equal(endless.expiresAt ?? null, null);
    await assertRefuses(client.updateApiKey('key_none'), 404, 'NOT_FOUND');
    const { client: stranger } = await register(product);
    await assertRefuses(stranger.updateApiKey(id), 404, 'NOT_FOUND');
  },
);

// Covers D-1.24 D-9.33
scenario('a key is rotated and revoked, and a revoked secret stops working', {}, async (product) => {
  const { client } = await register(product);
  const { id, key } = await client.createApiKey({ name: 'Rotated' });
  const { key: secret, id: rotatedId } = await client.rotateApiKey(id);
  assert.notEqual(secret, key);
  const program = connect(product, { apiKey: secret });
  assert.deepEqual((await program.listSplits()).data, []);
  await client.revokeApiKey(rotatedId);
  // The promise is one second, at every gateway.
  await sleep(1_000);
  await assertRefuses(program.listSplits(), 401, 'UNAUTHORIZED');
});
