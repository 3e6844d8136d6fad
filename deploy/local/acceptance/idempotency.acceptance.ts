/** Repeats of a request with the same Idempotency-Key. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { register, registerWithKey } from './account.ts';
import { assertRefused, assertStatus, call, type Job, type Page, sampleUrl } from './api.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();

scenario(
  'a repeated creation gives the first answer, and there is one job',
  { covers: ['POST /api/v1/splits'] },
  async () => {
    const running = await product();
    const { apiKey } = await registerWithKey(running);
    const key: string = randomUUID();
    const create = (body: Record<string, unknown>, idempotencyKey = key) =>
      call<Job>(running, 'POST /api/v1/splits', {
        apiKey,
        body,
        headers: { 'idempotency-key': idempotencyKey },
      });
    const wish = { sourceUrl: sampleUrl(running), splitMode: 'duration', segmentDuration: 20 };
    const first = await create(wish);
    assertStatus(first, 201);
    assert.equal(first.headers.get('idempotency-replayed'), null);
    const again = await create(wish);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assertRefused((await create({ ...wish, segmentDuration: 21 })) as never, 422, 'IDEMPOTENCY_KEY_REUSED');
    assertRefused((await create(wish, 'x'.repeat(256))) as never, 400, 'INVALID_PARAMS');
    const { pagination } = assertStatus(
      await call<Page<Job>>(running, 'GET /api/v1/splits', { apiKey }),
      200,
    );
    assert.equal(pagination.total, 1);
  },
);

scenario(
  'a repeat shows a secret again to whoever asked first, and to nobody else',
  { covers: ['POST /api/v1/api-keys'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    const other = await register(running);
    const headers = { 'idempotency-key': randomUUID() };
    const create = (token: string) =>
      call<{ id: string; key: string }>(running, 'POST /api/v1/api-keys', {
        accessToken: token,
        body: { name: 'once' },
        headers,
      });
    const first = assertStatus(await create(accessToken), 201);
    assert.deepEqual(assertStatus(await create(accessToken), 201), first);
    assert.notEqual(assertStatus(await create(other.accessToken), 201).key, first.key);
  },
);

scenario(
  'a repeated subscription and upgrade charge once and answer as before',
  { covers: ['POST /api/v1/billing/subscribe', 'POST /api/v1/billing/change-plan'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    const ask = <T>(target: `${string} /${string}`, body: unknown, key = target) =>
      call<T>(running, target, { accessToken, body, headers: { 'idempotency-key': key } });
    await ask('PUT /api/v1/billing/payment-method', { token: 'tok_visa' });
    for (const [target, planId, status] of [
      ['POST /api/v1/billing/subscribe', 'plan_starter', 201],
      ['POST /api/v1/billing/change-plan', 'plan_pro', 200],
    ] as const) {
      const first = assertStatus(await ask(target, { planId }), status);
      assert.deepEqual(assertStatus(await ask(target, { planId }), status), first);
    }
    const { data } = assertStatus(
      await call<Page<unknown>>(running, 'GET /api/v1/billing/invoices', { accessToken }),
      200,
    );
    assert.equal(data.length, 2);
  },
);
