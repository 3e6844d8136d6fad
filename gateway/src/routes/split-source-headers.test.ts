import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CreateJobRequest } from '@audiosplit/proto/jobs/v1/jobs';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { queued } from './split-jobs.fixture.ts';

describe('source headers', () => {
  let apiKey: string;
  let created: CreateJobRequest | undefined;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          createJob(request) {
            created = request;
            const sourceHeaderNames = Object.keys(request.sourceHeaders);
            return { job: { ...queued, request: { ...queued.request, sourceHeaderNames } } };
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });
  const post = (sourceHeaders: unknown) => {
    created = undefined;
    const json = {
      sourceUrl: 'https://example.com/a.mp3',
      splitMode: 'duration',
      segmentDuration: 30,
      sourceHeaders,
    };
    return gateway.call('/api/v1/splits', { method: 'POST', apiKey, json });
  };

  test('are passed to the service, and only their names are returned', async () => {
    const response = await post({ Authorization: 'Bearer secret', 'X-A': 'b' });
    assert.equal(response.status, 201);
    const text = await response.text();
    assert.deepEqual(JSON.parse(text).sourceHeaderNames, ['authorization', 'x-a']);
    assert.doesNotMatch(text, /secret/);
    assert.deepEqual(created?.sourceHeaders, { authorization: 'Bearer secret', 'x-a': 'b' });
  });

  test('400 for headers that may not be set, without repeating their values', async () => {
    for (const headers of [
      { Host: 'secret' },
      { range: 'secret' },
      { 'a b': 'secret' },
      { Cookie: 'secret\r\nx: y' },
      { Cookie: 'secret\u0000' },
      { Cookie: `secret\ud800` },
      { Cookie: 1 },
      { Cookie: 'secret', cookie: 'secret' },
      { Cookie: 'secret'.repeat(2_000) },
      Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`x-${i}`, 'secret'])),
      ['secret'],
      null,
    ]) {
      const response = await post(headers);
      assert.doesNotMatch(await response.clone().text(), /secret/);
      await expectError(response, 'INVALID_PARAMS');
      assert.equal(created, undefined);
    }
  });
});
