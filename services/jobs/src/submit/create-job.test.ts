import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { aSplit, describeEvents, startJobsFixture } from '../jobs.fixture.ts';

describe('a new job', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 2 }));

  const offered = async (accountId: string) => {
    const { rows } = await fixture.sql.query<{ id: string }>(
      'select id from jobs where account_id = $1 and dispatched_at is not null order by id',
      [accountId],
    );
    return rows.map(({ id }) => id);
  };

  test('is offered at once if there is capacity, and queued otherwise', async () => {
    const ids = [
      await fixture.create('acc_room'),
      await fixture.create('acc_room'),
      await fixture.create('acc_room'),
    ];
    assert.deepEqual(await offered('acc_room'), ids.slice(0, 2));
    await until(() => {
      const events = describeEvents(fixture.events());
      return ids.slice(0, 2).every((id) => events.includes(`requested ${id}`));
    });
    assert.ok(!describeEvents(fixture.events()).includes(`requested ${ids[2]}`));
  });

  test('first dispatches jobs that still wait although there is capacity', async () => {
    const ids = [
      await fixture.create('acc_raised'),
      await fixture.create('acc_raised'),
      await fixture.create('acc_raised'),
    ];
    // As if the event of the raised limit had been lost.
    await fixture.sql.query("update account_limits set concurrent_jobs = 4 where account_id = 'acc_raised'");
    ids.push(await fixture.create('acc_raised'), await fixture.create('acc_raised'));
    assert.deepEqual(await offered('acc_raised'), ids.slice(0, 4));
  });

  test('rejected with QUEUE_FULL or ACCOUNT_PENDING_DELETION creates nothing', async () => {
    await fixture.create('acc_full');
    await fixture.sql.query("update account_queues set queued = 1000 where account_id = 'acc_full'");
    await refusal(fixture.jobs.createJob(aSplit(), fixture.as('acc_full')), 'QUEUE_FULL');
    await fixture.sql.query(
      "update account_queues set queued = 1, closed = true where account_id = 'acc_full'",
    );
    await refusal(fixture.jobs.createJob(aSplit(), fixture.as('acc_full')), 'ACCOUNT_PENDING_DELETION');
    const { rows } = await fixture.sql.query(
      "select queued, (select count(*)::int from jobs where account_id = 'acc_full') as jobs from account_queues where account_id = 'acc_full'",
    );
    assert.deepEqual(rows, [{ queued: 1, jobs: 1 }]);
  });

  test('among many concurrent ones is counted, and no more are offered than may run', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => fixture.create('acc_burst')));
    assert.equal((await offered('acc_burst')).length, 2);
    const { rows } = await fixture.sql.query(
      "select queued, dispatched from account_queues where account_id = 'acc_burst'",
    );
    assert.deepEqual(rows, [{ queued: ids.length, dispatched: 2 }]);
  });
});
