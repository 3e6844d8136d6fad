import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@audiosplit/chassis/clock';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { openTestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { until } from '@audiosplit/chassis/testing/until';
import { engineThatNeverEnds, startWorkerFixture } from './worker.fixture.ts';

test('a full worker leaves jobs to an idle one', async () => {
  await using database = await createTestDatabase([
    { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
  ]);
  await using bus = await openTestBus({ databaseUrl: database.url, clock: systemClock });
  const options = { engine: engineThatNeverEnds(), concurrency: 1, eventBus: bus.bus };
  const jobIds = Array.from({ length: 6 }, (_, n) => `job_${n}`);
  for (const jobId of jobIds) {
    await bus.tell('acc_1', { case: 'splitRequested', value: { jobId } }, { key: jobId });
  }
  await using workers = new AsyncDisposableStack();
  const claimed: string[][] = [];
  for (let n = 0; n < jobIds.length; n++) {
    const { said } = workers.use(await startWorkerFixture(options));
    claimed.push(said.claimed);
    await until(() => said.claimed.length === 1, `worker ${n} has a job`);
  }
  assert.deepEqual(claimed.flat().sort(), jobIds);
});
