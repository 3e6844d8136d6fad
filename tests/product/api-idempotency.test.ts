/** Repeats requests at every endpoint that accepts an idempotency key. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { newEmail, PASSWORD } from '../harness/accounts/open-account.ts';
import type { Answer } from '../harness/accounts/raw.ts';
import { authenticatorCode } from '../harness/installation/authenticator.ts';
import { tokenMailedBy } from '../harness/installation/mailed-links.ts';
import { aConnection, aSplit, DAY_MS, type Holder } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

const MINUTE_MS = 60_000;

type Ask = Holder['withKey'];

interface Step {
  readonly ask: Ask;
  /** As written in the API description. */
  readonly route: string;
  readonly body?: () => unknown;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function assertReused({ status, body }: Answer): void {
  assert.deepEqual([status, body?.error?.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
}

describe('idempotency keys', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));

  // Covers D-2.44 D-2.46
  test('an idempotency key that is reused at another endpoint is rejected', async () => {
    const ada = await api.register();
    const key = { 'idempotency-key': 'k' };
    const created = await ada.withKey('POST /splits', aSplit, key);
    const cancel = await ada.withKey(`POST /splits/${created.body.id}/cancel`, undefined, key);
    assertReused(cancel);
    const upload = await ada.withKey('POST /uploads', undefined, key);
    assertReused(upload);
    const again = await ada.withKey('POST /splits', aSplit, key);
    assert.deepEqual([again.status, again.body], [201, created.body]);
  });

  async function batchOf(holder: Holder): Promise<string> {
    const batch = { sources: [aSplit.sourceUrl], settings: { splitMode: 'parts', parts: 2 } };
    return (await holder.withKey('POST /batches', batch)).body.id;
  }

  async function connectionOf(holder: Holder): Promise<string> {
    return (await holder.withToken('POST /connections', aConnection('another'))).body.id;
  }

  /** An invoice whose charges have failed for good, of an account that has a working card by now. */
  async function owedInvoiceOf(owing: Holder): Promise<string> {
    await owing.subscribe('plan_starter');
    const putCard = (token: string) => owing.withToken('PUT /billing/payment-method', { token });
    await putCard('tok_chargeCustomerFail');
    for (const days of [32, 50]) {
      const now = new Date(api.context.clock().getTime() + days * DAY_MS).toISOString();
      assert.equal((await owing.withToken('PUT /sandbox/clock', { now })).status, 200);
    }
    await putCard('tok_visa');
    return (await owing.withToken('GET /billing/invoices')).body.data[0].id;
  }

  const mailedAfter = (path: string, work: () => Promise<unknown>) =>
    tokenMailedBy(join(api.folder, 'mail'), path, work);

  // Covers D-2.44 D-2.45 D-1.31
  test('every POST that is repeated with its idempotency key returns the first response', async () => {
    const ada = await api.register();
    await ada.withToken('PUT /billing/payment-method', { token: 'tok_visa' });
    await api.complete(await ada.create({ ...aSplit, webhookUrl: api.hookUrl }));
    const deliveries = () => ada.withToken('GET /webhooks/deliveries');
    await until(async () => (await deliveries()).body.data.length === 2, 'there is something to replay');
    const deliveryId = (await deliveries()).body.data[0].id;
    const credentials = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    const asAnyone: Ask = (target, body, headers = {}) => api.call(target, headers, body);
    let session: { readonly refreshToken: string } | undefined;
    const refreshToken = () => ({ refreshToken: session?.refreshToken });
    const other = await api.register();
    const owing = await api.register();
    await ada.withToken('PUT /webhooks/endpoint', { url: api.hookUrl });
    const { token } = await api.auth.createSignInLink({ accountId: ada.accountId });
    const [unverified, guarded] = [await api.register(), await api.register()];
    const verification = await mailedAfter('/verify', () =>
      asAnyone('POST /auth/register', { email: newEmail(), password: PASSWORD }),
    );
    const forgetful = newEmail();
    await asAnyone('POST /auth/register', { email: forgetful, password: PASSWORD });
    const reset = await mailedAfter('/password/reset', () =>
      asAnyone('POST /auth/password/forgot', { email: forgetful }),
    );
    let secret = '';
    const codeLater = () => {
      api.advance(MINUTE_MS);
      return authenticatorCode(secret, api.now());
    };
    const steps: readonly Step[] = [
      { ask: asAnyone, route: 'POST /auth/register', body: () => credentials },
      { ask: asAnyone, route: 'POST /auth/login', body: () => credentials },
      { ask: asAnyone, route: 'POST /auth/login/link', body: () => ({ token }) },
      { ask: asAnyone, route: 'POST /auth/refresh', body: refreshToken },
      { ask: asAnyone, route: 'POST /auth/logout', body: refreshToken },
      { ask: asAnyone, route: 'POST /auth/password/forgot', body: () => ({ email: newEmail() }) },
      {
        ask: asAnyone,
        route: 'POST /auth/password/reset',
        body: () => ({ token: reset, password: PASSWORD }),
      },
      { ask: asAnyone, route: 'POST /auth/verify', body: () => ({ token: verification }) },
      { ask: unverified.withToken, route: 'POST /account/email/verification' },
      { ask: guarded.withToken, route: 'POST /account/second-factor', body: () => ({ current: PASSWORD }) },
      {
        ask: guarded.withToken,
        route: 'POST /account/second-factor/confirm',
        body: () => ({ code: codeLater() }),
      },
      {
        ask: guarded.withToken,
        route: 'POST /account/second-factor/recovery-codes',
        body: () => ({ current: PASSWORD, code: codeLater() }),
      },
      { ask: ada.withToken, route: 'POST /api-keys', body: () => ({ name: 'one' }) },
      { ask: ada.withToken, route: 'POST /api-keys/{keyId}/rotate', id: ada.createdKey.id },
      { ask: ada.withToken, route: 'POST /billing/subscribe', body: () => ({ planId: 'plan_starter' }) },
      { ask: ada.withToken, route: 'POST /billing/change-plan', body: () => ({ planId: 'plan_pro' }) },
      { ask: ada.withToken, route: 'POST /billing/cancel', body: () => ({ immediate: true }) },
      {
        ask: owing.withToken,
        route: 'POST /billing/invoices/{invoiceId}/pay',
        id: await owedInvoiceOf(owing),
      },
      { ask: ada.withToken, route: 'POST /account/export', body: () => ({ format: 'csv' }) },
      { ask: ada.withToken, route: 'POST /account/restore' },
      { ask: ada.withToken, route: 'POST /webhooks/secret/rotate' },
      { ask: ada.withToken, route: 'POST /webhooks/test' },
      { ask: ada.withToken, route: 'POST /webhooks/deliveries/{deliveryId}/replay', id: deliveryId },
      { ask: other.withKey, route: 'POST /splits', body: () => aSplit },
      { ask: other.withKey, route: 'POST /splits/{jobId}/cancel', id: await other.create() },
      { ask: other.withKey, route: 'POST /uploads' },
      {
        ask: other.withKey,
        route: 'POST /uploads/tus',
        headers: { 'tus-resumable': '1.0.0', 'upload-length': '10' },
      },
      {
        ask: other.withKey,
        route: 'POST /batches',
        body: () => ({ sources: [aSplit.sourceUrl], settings: { splitMode: 'parts', parts: 2 } }),
      },
      { ask: other.withKey, route: 'POST /batches/{batchId}/retry', id: await batchOf(other) },
      { ask: other.withKey, route: 'POST /batches/{batchId}/cancel', id: await batchOf(other) },
      {
        ask: other.withKey,
        route: 'POST /presets',
        body: () => ({ name: 'mine', request: { splitMode: 'parts', parts: 2 } }),
      },
      { ask: other.withToken, route: 'POST /connections', body: () => aConnection('mine') },
      { ask: other.withToken, route: 'POST /connections/{connectionId}/test', id: await connectionOf(other) },
    ];
    for (const { ask, route, body, id = '', headers } of steps) {
      const target = route.replace(/{\w+}/, id);
      const key = { ...headers, 'idempotency-key': route };
      const requestBody = body?.();
      const first = await ask(target, requestBody, key);
      assert.ok(first.status < 300, `${route}: ${JSON.stringify(first.body)}`);
      assert.equal(first.headers.get('idempotency-replayed'), null, route);
      const again = await ask(target, requestBody, key);
      assert.deepEqual([again.status, again.body], [first.status, first.body], route);
      assert.equal(again.headers.get('location'), first.headers.get('location'), route);
      assert.equal(again.headers.get('idempotency-replayed'), 'true', route);
      if (first.body?.refreshToken !== undefined) session = first.body;
      if (first.body?.secret !== undefined && route.endsWith('second-factor')) secret = first.body.secret;
    }
    const { paths } = await api.description<{ readonly paths: Record<string, object> }>();
    const posts = Object.entries(paths).flatMap(([path, operations]) =>
      'post' in operations && path.startsWith('/api/v1/') ? [`POST ${path.replace('/api/v1', '')}`] : [],
    );
    assert.deepEqual(steps.map(({ route }) => route).sort(), posts.sort());
  });

  // Covers D-2.44
  test('an idempotency key has 1 to 255 characters', async () => {
    const ada = await api.register();
    for (const [length, status] of [
      [1, 201],
      [255, 201],
      [256, 400],
    ] as const) {
      const answer = await ada.withKey('POST /splits', aSplit, { 'idempotency-key': 'k'.repeat(length) });
      assert.equal(answer.status, status, `${length} characters`);
    }
  });
});
