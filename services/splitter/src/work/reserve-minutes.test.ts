import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { engineThatCuts, RATE_HZ, startWorkerFixture } from './worker.fixture.ts';

test('the minutes of a job are reserved before it is encoded, and again if it proves to need another number', async () => {
  const cut = engineThatCuts(2 * RATE_HZ, RATE_HZ);
  await using fixture = await startWorkerFixture({
    async engine(options) {
      await options.reserve?.(4_000);
      assert.deepEqual(fixture.said.reserved, [4_000n]);
      return cut(options);
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.completed.length === 1, 'the job is completed');
  assert.deepEqual(fixture.said.reserved, [4_000n, 3_000n]);
});

test('an attempt whose minutes are not granted is dropped without a report', async () => {
  let isEncoded = false;
  await using fixture = await startWorkerFixture({
    async engine(options) {
      await options.reserve?.(4_000);
      isEncoded = true;
      return engineThatCuts(RATE_HZ)(options);
    },
    jobs: { reserveMinutes: () => ({ granted: false }) },
  });
  await fixture.offer('job_1');
  await until(() => fixture.worker.running().length === 0, 'the attempt has ended');
  const { completed, failed, released } = fixture.said;
  assert.deepEqual([isEncoded, completed.length, failed.length, released.length], [false, 0, 0, 0]);
});
