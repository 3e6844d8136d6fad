import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { ServiceError } from '@audiosplit/chassis/errors';
import { InvalidParamsError, NotFoundError, UnavailableError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

describe('POST /webhooks/stripe', () => {
  let received: { readonly payload: Uint8Array; readonly signature: string }[] = [];
  let refusal: ServiceError | undefined;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        billing: {
          receiveProviderEvent({ payload, signature }) {
            if (refusal !== undefined) throw refusal;
            received.push({ payload, signature });
            return {};
          },
        },
      },
    }),
  );
  beforeEach(() => {
    received = [];
    refusal = undefined;
  });

  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(new URL('/webhooks/stripe', gateway.url), { method: 'POST', body: Buffer.from(body), headers });

  test('passes the body on unchanged, with its signature', async () => {
    const body = Buffer.from('{\n  "id":  "evt_1", "amount": 1.0, "name": "\\u00e9", "__proto__": 1\n}\n');
    for (const type of ['application/json; charset=utf-8', 'text/plain']) {
      const response = await post(body, { 'content-type': type, 'stripe-signature': 't=1,v1=00' });
      assert.equal(response.status, 204);
      assert.equal(await response.text(), '');
    }
    assert.deepEqual(
      received.map(({ payload, signature }) => [Buffer.from(payload).toString(), signature]),
      Array(2).fill([body.toString(), 't=1,v1=00']),
    );
  });

  test('requires no credential and counts against no limit', async () => {
    for (let n = 0; n < 70; n++) assert.equal((await post('{}')).status, 204);
    const response = await post('{}');
    assert.equal(response.headers.get('x-ratelimit-limit'), null);
  });

  test('passes a missing body or signature to billing, which rejects it', async () => {
    assert.equal((await post('')).status, 204);
    assert.deepEqual(
      received.map(({ payload, signature }) => [payload.length, signature]),
      [[0, '']],
    );
  });

  test('returns a rejection by billing in the envelope', async () => {
    refusal = new InvalidParamsError('Stripe-Signature', 'is not valid.');
    await expectError(await post('{}'), 'INVALID_PARAMS', { field: 'Stripe-Signature' });
    refusal = new NotFoundError('This path');
    await expectError(await post('{}'), 'NOT_FOUND');
    refusal = new UnavailableError('later');
    const later = await post('{}');
    assert.ok(Number(later.headers.get('retry-after')) > 0);
    await expectError(later, 'SERVICE_UNAVAILABLE');
  });

  test('accepts at most 64 KiB', async () => {
    assert.equal((await post(Buffer.alloc(64 * 1024, 32))).status, 204);
    await expectError(await post(Buffer.alloc(64 * 1024 + 1, 32)), 'PAYLOAD_TOO_LARGE');
    assert.equal(received.length, 1);
  });

  test('is not part of the described API, and accepts no other method', async () => {
    const description = await fetch(new URL('/openapi.json', gateway.url));
    assert.ok(!(await description.text()).includes('/webhooks/stripe'));
    const response = await fetch(new URL('/webhooks/stripe', gateway.url));
    assert.equal(response.headers.get('allow'), 'POST');
    await expectError(response, 'METHOD_NOT_ALLOWED');
  });
});
