import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnavailableError } from '@audiosplit/chassis/errors';
import type { FastifyInstance } from 'fastify';
import { CONSOLE_HEADER } from '../console/same-origin.ts';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { ROUTE_BOUNDS } from './route-bounds.ts';

test('a route without a limit cannot be registered', async () => {
  const plugin = async (app: FastifyInstance) => void app.get('/samples/one.txt', async () => 'sample');
  await assert.rejects(
    startTestGateway({ dependencies: { plugins: [plugin] } }),
    /\/samples\/one\.txt has no bound/,
  );
});

// Covers B-6.7
test('every route of the gateway has a limit', async () => {
  await using gateway = await startTestGateway();
  assert.ok(gateway.boundedRoutes.length > 60);
  for (const { method, path, bounds } of gateway.boundedRoutes) {
    assert.ok(bounds.length > 0 && bounds.every((bound) => bound in ROUTE_BOUNDS), `${method} ${path}`);
  }
});

for (const [path, setting] of [
  ['/docs', 'PAGES_PER_MINUTE'],
  ['/nothing', 'PAGES_PER_MINUTE'],
  ['/.well-known/jwks.json', 'PAGES_PER_MINUTE'],
  ['/downloads/x', 'DOWNLOADS_PER_MINUTE'],
] as const) {
  // Covers B-6.8
  test(`429 RATE_LIMITED with Retry-After and the limit's headers beyond ${setting}: ${path}`, async () => {
    await using gateway = await startTestGateway({ bounds: { [setting]: 2 } });
    const get = () => fetch(gateway.url + path, { redirect: 'manual' });
    for (const remaining of ['1', '0']) {
      assert.equal((await get()).headers.get('x-ratelimit-remaining'), remaining);
    }
    const refused = await get();
    assert.equal(refused.headers.get('x-ratelimit-limit'), '2');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    await expectError(refused, 'RATE_LIMITED');
    gateway.advance(60_000);
    assert.notEqual((await get()).status, 429);
  });
}

test('429 RATE_LIMITED beyond UPLOADS_PER_MINUTE, and the file is not read', async () => {
  await using gateway = await startTestGateway({ bounds: { UPLOADS_PER_MINUTE: 2 } });
  const routes = { '/uploads/x': 'PUT', '/uploads/tus/x': 'PATCH' };
  for (const [path, method] of Object.entries(routes)) {
    const send = () => fetch(gateway.url + path, { method, body: 'audio' });
    for (let n = 0; n < 2; n += 1) assert.notEqual((await send()).status, 429);
    const refused = await send();
    assert.equal(refused.headers.get('connection'), 'close');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    await expectError(refused, 'RATE_LIMITED');
    gateway.advance(60_000);
  }
});

// Covers B-1.9
test('429 and 503 have a Retry-After on a procedure of the console too', async () => {
  const away = () => {
    throw new UnavailableError(new Error('away'));
  };
  const bounds = { ADDRESS_REQUESTS_PER_MINUTE: 1 };
  await using gateway = await startTestGateway({ services: { auth: { login: away } }, bounds });
  const signIn = () =>
    fetch(`${gateway.url}/console/trpc/session.signIn`, {
      method: 'POST',
      body: JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(12) }),
      headers: { 'content-type': 'application/json', [CONSOLE_HEADER]: '1' },
    });
  for (const status of [503, 429]) {
    const refused = await signIn();
    assert.equal(refused.status, status);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    assert.equal(refused.headers.get('x-ratelimit-limit'), '1');
  }
});
