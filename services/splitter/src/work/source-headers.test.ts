import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { MediaError } from '@audiosplit/engine/media-error';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { withoutValues } from './without-values.ts';
import { engineThatCuts, startWorkerFixture } from './worker.fixture.ts';

test('a worker declares with a claim that it sends source headers', async () => {
  const claims: boolean[] = [];
  await using fixture = await startWorkerFixture({
    engine: engineThatCuts(10),
    jobs: {
      claimJob({ sendsSourceHeaders }) {
        claims.push(sendsSourceHeaders);
        throw new ServiceError(Reason.NOT_CLAIMABLE, 'No job waits.');
      },
    },
  });
  await fixture.offer('job_1');
  await until(() => claims.length > 0);
  assert.equal(claims[0], true);
});

test('an error contains no value of a source header', () => {
  const cause = new Error('as sent: secret-token');
  const error = new MediaError('UNSUPPORTED_MEDIA', 'The page is (“Bearer secret-token, secret-token”).', {
    cause,
  });
  assert.equal(withoutValues(error, { authorization: 'Bearer secret-token', dnt: '1' }), error);
  assert.equal(error.message, 'The page is (“…, …”).');
  assert.doesNotMatch(`${error.stack}${cause.message}${cause.stack}`, /secret-token/);
});
