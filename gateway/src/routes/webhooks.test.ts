import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { AT, at, delivery, LATER, later, shownDelivery } from './account-holder.fixture.ts';

const URL = 'https://example.com/hook';
// A newer service may return a type that this gateway does not support.
const endpoint = { url: URL, events: ['split.failed', 'of.later'], createdAt: at, updatedAt: later };
const shown = { url: URL, events: ['split.failed'], createdAt: AT, updatedAt: LATER };

describe("routes of the account's endpoint", () => {
  let isMissing: boolean;
  let received: object;
  const answer =
    <T>(value: T) =>
    (request: object) => {
      received = request;
      if (isMissing) throw new NotFoundError('An endpoint');
      return value;
    };
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        webhooks: {
          putEndpoint: answer({ endpoint }),
          getEndpoint: answer({ endpoint }),
          deleteEndpoint: answer({}),
          testEndpoint: answer({ delivery }),
        },
      },
    }),
  );
  beforeEach(() => {
    isMissing = false;
  });
  const send = (route: string, json?: unknown, token?: null) => {
    const [method = '', path = ''] = route.split(' ');
    return gateway.call(`/api/v1/webhooks${path}`, { method, json, ...(token === null ? { token } : {}) });
  };

  for (const [route, json, status, body] of [
    ['PUT /endpoint', { url: URL, events: ['split.failed'] }, 200, shown],
    ['GET /endpoint', undefined, 200, shown],
    ['POST /test', undefined, 202, shownDelivery],
  ] as const) {
    test(`${status}: ${route}`, async () => {
      const response = await send(route, json);
      assert.equal(response.status, status);
      assert.deepEqual(await response.json(), body);
    });
  }

  test('204: DELETE /endpoint', async () => assert.equal((await send('DELETE /endpoint')).status, 204));

  test('all events are requested if `events` is not given', async () => {
    await send('PUT /endpoint', { url: URL });
    assert.deepEqual(Object(received).events, []);
  });

  for (const route of ['GET /endpoint', 'DELETE /endpoint', 'POST /test']) {
    test(`404 NOT_FOUND: ${route} without an endpoint`, async () => {
      isMissing = true;
      await expectError(await send(route), 'NOT_FOUND');
    });
  }

  for (const [field, json] of [
    ['url', {}],
    ['url', { url: 'ftp://example.com' }],
    ['url', { url: 'https://user:password@example.com' }],
    ['events', { url: URL, events: [] }],
    ['events', { url: URL, events: ['split.failed', 'split.failed'] }],
    ['events.0', { url: URL, events: ['ping'] }],
  ] as const) {
    test(`400 INVALID_PARAMS: PUT /endpoint ${JSON.stringify(json)}`, async () => {
      await expectError(await send('PUT /endpoint', json), 'INVALID_PARAMS', { field });
    });
  }

  for (const route of ['PUT /endpoint', 'GET /endpoint', 'DELETE /endpoint', 'POST /test']) {
    test(`401 UNAUTHORIZED: ${route} without a token`, async () => {
      await expectError(await send(route, undefined, null), 'UNAUTHORIZED');
    });
  }
});
