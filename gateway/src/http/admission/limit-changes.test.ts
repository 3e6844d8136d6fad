import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { readIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expectError } from '../../testing/expect-error.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';

const END = timestampFromDate(new Date('2027-03-14T09:30:00Z'));
const ENDED = {
  subscription: {
    id: 'sub_1',
    planId: 'plan_pro',
    status: 'canceled',
    currentPeriodStart: END,
    currentPeriodEnd: END,
  },
};

describe('a change of limits', () => {
  const start = async () => {
    const asked: boolean[] = [];
    const keys: (string | undefined)[] = [];
    let requestsPerMinute = 300;
    let auth: 'there' | 'away' | 'silent' = 'there';
    let refusal: ServiceError | undefined;
    const gateway = await startTestGateway({
      services: {
        auth: {
          async getAccountLimits({ refresh }, { requestHeader, signal }) {
            asked.push(refresh);
            keys.push(readIdempotencyKey(requestHeader)?.key);
            if (refresh && auth === 'away') throw new ServiceError(Reason.SERVICE_UNAVAILABLE, 'away');
            if (refresh && auth === 'silent') await once(signal, 'abort');
            return { limits: { requestsPerMinute } };
          },
        },
        billing: {
          getBillingInfo: () => ({ plan: { id: 'plan_free' } }),
          cancelSubscription(_request, { requestHeader }) {
            keys.push(readIdempotencyKey(requestHeader)?.key);
            if (refusal !== undefined) throw refusal;
            requestsPerMinute = 10;
            return ENDED;
          },
        },
      },
    });
    const limit = async () =>
      Number((await gateway.call('/api/v1/billing')).headers.get('x-ratelimit-limit'));
    const cancel = (headers: Record<string, string> = {}) =>
      gateway.call('/api/v1/billing/cancel', { method: 'POST', json: { immediate: true }, headers });
    return {
      gateway,
      asked,
      keys,
      limit,
      cancel,
      setAuth: (to: typeof auth) => {
        auth = to;
      },
      refuse: (error: ServiceError) => {
        refusal = error;
      },
    };
  };

  it('applies to the next request, because auth refreshes the limits from billing first', async () => {
    const { gateway, asked, limit, cancel } = await start();
    await using _gateway = gateway;
    assert.equal(await limit(), 300);
    assert.equal((await cancel()).status, 200);
    assert.equal(await limit(), 10);
    assert.deepEqual(asked, [false, true, false]);
  });

  for (const auth of ['away', 'silent'] as const) {
    it(`succeeds even if auth is ${auth}, and applies within a second`, async () => {
      const { gateway, limit, cancel, setAuth } = await start();
      await using _gateway = gateway;
      assert.equal(await limit(), 300);
      setAuth(auth);
      assert.equal((await cancel()).status, 200);
      gateway.advance(1_000);
      assert.equal(await limit(), 10);
    });
  }

  it('does not pass on the Idempotency-Key of the call, for which auth may have its own response', async () => {
    const { gateway, keys, cancel } = await start();
    await using _gateway = gateway;
    assert.equal((await cancel({ 'idempotency-key': 'cancel-1' })).status, 200);
    assert.deepEqual(keys, [undefined, 'cancel-1', undefined]);
  });

  it('is not refreshed after a rejection', async () => {
    const { gateway, asked, cancel, refuse } = await start();
    await using _gateway = gateway;
    refuse(new ServiceError(Reason.NO_ACTIVE_SUBSCRIPTION, 'There is none.'));
    await expectError(await cancel(), 'NO_ACTIVE_SUBSCRIPTION');
    assert.deepEqual(asked, [false]);
  });
});
