import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aSplit, startJobsFixture } from '../jobs.fixture.ts';

test('a queued job shows its position in the queue of its account', async () => {
  await using fixture = await startJobsFixture();
  const { jobs } = fixture;
  const account = fixture.as('acc_in_line');
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await jobs.createJob(aSplit(), account)).job?.id ?? '');
  await jobs.createJob(aSplit(), fixture.as('acc_elsewhere'));
  const positionOf = async (jobId: string) => (await jobs.getJob({ jobId }, account)).job?.queuePosition;
  assert.deepEqual(await Promise.all(ids.map(positionOf)), [1, 2, 3]);
  await jobs.cancelJob({ jobId: ids[0] ?? '' }, account);
  assert.deepEqual(await Promise.all(ids.map(positionOf)), [undefined, 1, 2]);
});
