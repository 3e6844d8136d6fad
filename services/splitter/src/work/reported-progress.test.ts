import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@audiosplit/chassis/testing/until';
import { engineThatCuts, startWorkerFixture } from './worker.fixture.ts';

test('reports the progress with the renewals', async () => {
  await using fixture = await startWorkerFixture({
    leaseMs: 300,
    async engine(options) {
      options.onProgress(0.42);
      await until(() => fixture.said.renewed.some((renewal) => renewal.progressPercent === 42));
      return engineThatCuts(10)(options);
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.completed.length === 1);
});

test('reports the fetched share of the source with the renewals until it is complete', async () => {
  const reported = () =>
    fixture.said.renewed.map(({ fetching }) => fetching && [fetching.fetchedBytes, fetching.totalBytes]);
  const hasReported = (expected: unknown) => until(() => isDeepStrictEqual(reported().at(-1), expected));
  await using fixture = await startWorkerFixture({
    leaseMs: 300,
    body: async function* () {
      await hasReported([0n, undefined]);
      yield Buffer.from('aud');
      await hasReported([3n, 5n]);
      yield Buffer.from('io');
    },
    async engine(options) {
      assert.equal(await text(options.source as AsyncIterable<Uint8Array>), 'audio');
      await hasReported(undefined);
      return engineThatCuts(10)(options);
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.completed.length === 1);
  assert.deepEqual(fixture.said.failed, []);
});
