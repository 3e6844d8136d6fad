/** Accounts, tokens and API keys, from registration to revocation. */
import assert from 'node:assert/strict';
import { type ApiKey, createKey, PASSWORD, register, type Session } from './account.ts';
import { assertRateLimitHeaders, assertRefused, assertStatus, call, type Page } from './api.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();

scenario('an account is registered once, signs in, and its refresh token works once', {}, async () => {
  const running = await product();
  const session = await register(running);
  assert.match(session.account.id, /^acc_/);
  assert.equal(session.tokenType, 'Bearer');
  assert.equal(session.expiresIn, 3_600);
  const { email } = session.account;
  const taken = { email: email.toUpperCase(), password: PASSWORD };
  assertRefused(await call(running, 'POST /api/v1/auth/register', { body: taken }), 409, 'EMAIL_TAKEN');
  const short = { email: 'short@example.com', password: 'short' };
  assertRefused(await call(running, 'POST /api/v1/auth/register', { body: short }), 400, 'INVALID_PARAMS');

  const login = { email, password: PASSWORD };
  const signedIn = assertStatus(
    await call<Session>(running, 'POST /api/v1/auth/login', { body: login }),
    200,
  );
  assert.equal(signedIn.account.id, session.account.id);
  const wrong = { email, password: `${PASSWORD}!` };
  const refused = await call(running, 'POST /api/v1/auth/login', { body: wrong });
  assertRefused(refused, 401, 'UNAUTHORIZED');
  assertRateLimitHeaders(refused, 60);

  const { refreshToken } = signedIn;
  const next = await call<Session>(running, 'POST /api/v1/auth/refresh', { body: { refreshToken } });
  const renewed = assertStatus(next, 200);
  assert.notEqual(renewed.refreshToken, refreshToken);
  const spent = await call(running, 'POST /api/v1/auth/refresh', { body: { refreshToken } });
  assertRefused(spent, 401, 'UNAUTHORIZED');
  // Whoever replays a spent token may have stolen it: its whole family is void.
  const descendant = { refreshToken: renewed.refreshToken };
  const revoked = await call(running, 'POST /api/v1/auth/refresh', { body: descendant });
  assertRefused(revoked, 401, 'UNAUTHORIZED');
});

scenario('signing out ends a refresh token', {}, async () => {
  const running = await product();
  const { refreshToken } = await register(running);
  const body = { refreshToken };
  assertStatus(await call<undefined>(running, 'POST /api/v1/auth/logout', { body }), 204);
  assertRefused(await call(running, 'POST /api/v1/auth/refresh', { body }), 401, 'UNAUTHORIZED');
});

scenario(
  'a key is created with its secret, which is shown once',
  { covers: ['POST /api/v1/api-keys'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    const created = await createKey(running, accessToken, { name: 'Everything' });
    assert.match(created.id, /^key_/);
    assert.match(created.key, /^ask_live_[0-9A-Za-z]{49}$/);
    assert.deepEqual([...created.scopes].sort(), ['keys:manage', 'splits:read', 'splits:write']);
    assert.equal(created.expiresAt ?? null, null);
    const { apiKey } = { apiKey: created.key };
    assertStatus(await call<Page<unknown>>(running, 'GET /api/v1/splits', { apiKey }), 200);

    const listed = assertStatus(
      await call<Page<ApiKey>>(running, 'GET /api/v1/api-keys', { accessToken }),
      200,
    );
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [created.id],
    );
    assert.equal(JSON.stringify(listed).includes(created.key), false);
    assert.equal(listed.data[0]?.keyPreview, `${created.key.slice(0, 13)}…${created.key.slice(-4)}`);
  },
);

scenario(
  'a creation that makes no sense is refused, and so is one without a valid token',
  { covers: ['POST /api/v1/api-keys'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(256) },
      { name: 'a', scopes: [] },
      { name: 'a', scopes: ['splits:admin'] },
      { name: 'a', expiresAt: '2001-01-01T00:00:00Z' },
    ]) {
      const refused = await call(running, 'POST /api/v1/api-keys', { accessToken, body });
      assertRefused(refused, 400, 'INVALID_PARAMS');
      assertRateLimitHeaders(refused, 10);
    }
    const body = { name: 'a' };
    const { apiKey } = running;
    const forged = `${accessToken.slice(0, -6)}AAAAAA`;
    for (const credential of [{}, { apiKey }, { accessToken: 'nonsense' }, { accessToken: forged }]) {
      const refused = await call(running, 'POST /api/v1/api-keys', { ...credential, body });
      assertRefused(refused, 401, 'UNAUTHORIZED');
    }
  },
);

scenario(
  'a key is renamed, narrowed and given an end; what is left out stays',
  { covers: ['PATCH /api/v1/api-keys/:keyId'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    const { id, key } = await createKey(running, accessToken, { name: 'First' });
    const target = `PATCH /api/v1/api-keys/${id}` as const;
    const renamed = assertStatus(
      await call<ApiKey>(running, target, { accessToken, body: { name: 'Second' } }),
      200,
    );
    assert.equal(renamed.name, 'Second');
    assert.equal(renamed.scopes.length, 3);
    assert.equal('key' in renamed, false);
    assert.ok(renamed.keyPreview !== undefined && renamed.updatedAt !== undefined);

    const expiresAt = '2099-01-01T00:00:00.000Z';
    const body = { scopes: ['splits:read'], expiresAt };
    const narrowed = assertStatus(await call<ApiKey>(running, target, { accessToken, body }), 200);
    assert.deepEqual(
      [narrowed.name, narrowed.scopes, narrowed.expiresAt],
      ['Second', ['splits:read'], expiresAt],
    );
    const refused = await call(running, 'POST /api/v1/uploads', { apiKey: key, body: {} });
    assertRefused(refused, 403, 'INSUFFICIENT_SCOPE');

    const endless = await call<ApiKey>(running, target, { accessToken, body: { expiresAt: null } });
    assert.equal(assertStatus(endless, 200).expiresAt ?? null, null);
    const unknown = await call(running, 'PATCH /api/v1/api-keys/key_none', { accessToken, body: {} });
    assertRefused(unknown, 404, 'NOT_FOUND');
    const stranger = await register(running);
    const foreign = await call(running, target, { accessToken: stranger.accessToken, body: {} });
    assertRefused(foreign, 404, 'NOT_FOUND');
  },
);

scenario('a key is rotated and revoked, and what is revoked stops working', {}, async () => {
  const running = await product();
  const { accessToken } = await register(running);
  const { id, key } = await createKey(running, accessToken, { name: 'Rotated' });
  const rotate = await call<ApiKey>(running, `POST /api/v1/api-keys/${id}/rotate`, { accessToken, body: {} });
  const { key: secret, id: rotatedId } = assertStatus(rotate, 201);
  assert.ok(secret !== undefined && secret !== key);
  const read = (apiKey: string) => call<never>(running, 'GET /api/v1/splits', { apiKey });
  assert.equal((await read(secret)).status, 200);
  assertStatus(await call<undefined>(running, `DELETE /api/v1/api-keys/${rotatedId}`, { accessToken }), 204);
  // The promise is one second, everywhere.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assertRefused(await read(secret), 401, 'UNAUTHORIZED');
});
