/** One broken job or busy account must not block the periodic work for the others. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { anOutcome, startJobsFixture } from '../jobs.fixture.ts';
import { reap } from '../lease/reaper.ts';
import { deleteScheduledObjects, expireOldSegments } from '../retention/sweep-objects.ts';

describe('stalled jobs', () => {
  const fixture = forSuite(startJobsFixture);

  const reapNow = () => reap(fixture.pool, () => undefined);
  const claim = (jobId: string) => fixture.leases.claimJob({ jobId, workerId: 'w' });
  const isDispatched = async (jobId: string) => {
    const { rows } = await fixture.sql.query('select dispatched_at from jobs where id = $1', [jobId]);
    return rows[0]?.dispatched_at !== null;
  };

  test('accounts at their cap do not keep the reaper from an account below its cap', async () => {
    await fixture.sql.query(
      `insert into account_queues (account_id, queued, processing)
       select 'acc_busy_' || n, 5, 2 from generate_series(100, 250) n`,
    );
    await fixture.sql.query(
      `insert into account_limits select 'acc_busy_' || n, 1, 2, 1, true from generate_series(100, 250) n`,
    );
    const jobId = await fixture.create('acc_missed');
    await fixture.sql.query('update jobs set dispatched_at = null where id = $1', [jobId]);
    await fixture.sql.query("update account_queues set dispatched = 0 where account_id = 'acc_missed'");
    await reapNow();
    assert.ok(await isDispatched(jobId));
  });

  test('a job that cannot be returned to the queue does not keep the reaper from the next one', async () => {
    const broken = await fixture.create('acc_broken');
    const other = await fixture.create('acc_whole');
    for (const jobId of [broken, other]) await claim(jobId);
    await fixture.sql.query(
      `update jobs set attempts = 3, lease_until = now() - case when id = $1 then interval '2 s' else interval '1 s' end
       where id in ($1, $2)`,
      [broken, other],
    );
    // Mismatched counters make it impossible to end the job.
    await fixture.sql.query("update account_queues set processing = 0 where account_id = 'acc_broken'");
    await assert.rejects(reapNow(), AggregateError);
    const { rows } = await fixture.sql.query('select id, status from jobs where id in ($1, $2) order by id', [
      broken,
      other,
    ]);
    assert.deepEqual(
      new Map(rows.map((row) => [row.id, row.status])),
      new Map([
        [broken, 'processing'],
        [other, 'failed'],
      ]),
    );
    await fixture.sql.query("update account_queues set processing = 1 where account_id = 'acc_broken'");
    await reapNow();
  });

  // Covers B-14.5
  test('any number of older jobs that cannot be returned do not keep the reaper from the next one', async () => {
    const other = await fixture.create('acc_behind');
    await claim(other);
    await fixture.sql.query(
      "update jobs set attempts = 3, lease_until = now() - interval '1 s' where id = $1",
      [other],
    );
    await fixture.sql.query(
      `insert into account_queues (account_id, queued, processing)
       select 'acc_broken_' || n, 0, 0 from generate_series(1, 250) n`,
    );
    await fixture.sql.query(
      `insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, attempts, lease_until)
       select 'job_broken_' || n, 'acc_broken_' || n, 'processing', 'https://e.com/a', 'duration', 1, 3, now() - interval '2 s'
       from generate_series(1, 250) n`,
    );
    const count = (processing: number) =>
      fixture.sql.query("update account_queues set processing = $1 where account_id like 'acc_broken_%'", [
        processing,
      ]);
    await count(0);
    await assert.rejects(reapNow(), ({ errors }: AggregateError) => errors.length === 250);
    const { rows } = await fixture.sql.query('select status from jobs where id = $1', [other]);
    assert.equal(rows[0]?.status, 'failed');
    await count(1);
    await reapNow();
    await reapNow();
    await reapNow();
  });

  test('objects that a worker stores after its job was canceled and deleted are deleted as well', async () => {
    const { jobs, store, as, sql } = fixture;
    const jobId = await fixture.create('acc_cancel_delete');
    const { fence } = await claim(jobId);
    await jobs.cancelJob({ jobId }, as('acc_cancel_delete'));
    await jobs.deleteJob({ jobId }, as('acc_cancel_delete'));
    // The worker has not noticed it yet.
    const key = `jobs/${jobId}/${fence}/0.mp3`;
    await store.put(key, Readable.from([Buffer.alloc(10)]), { contentType: 'audio/mpeg' });
    await sql.query("update doomed_prefixes set delete_after = now() - interval '1 s' where prefix like $1", [
      `jobs/${jobId}/%`,
    ]);
    await deleteScheduledObjects({ pool: fixture.pool, openStore: async () => store });
    for await (const object of store.list(`jobs/${jobId}/`)) assert.fail(`${object.key} is left`);
  });

  test('one run of the expiry handles everything that is due, in any amount', async () => {
    const { sql, store } = fixture;
    await sql.query(
      `insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, completed_at, stored_bytes)
       select 'job_old_' || n, 'acc_old', 'completed', 'https://e.com/a', 'duration', 1, now() - interval '8 days', 1
       from generate_series(1, 250) n`,
    );
    await expireOldSegments(fixture.pool, 7 * 86_400_000, () => undefined);
    await deleteScheduledObjects({ pool: fixture.pool, openStore: async () => store });
    const { rows } = await sql.query(
      `select count(*) filter (where segments_expired_at is null)::int as kept,
              (select count(*)::int from doomed_prefixes where prefix like 'jobs/job_old_%') as scheduled
       from jobs where account_id = 'acc_old'`,
    );
    assert.deepEqual(rows[0], { kept: 0, scheduled: 0 });
  });

  test('overdue offers are found oldest first, and only those that can be claimed', async () => {
    const { leases, sql } = fixture;
    await sql.query('update jobs set dispatched_at = now() where dispatched_at is not null');
    const [old, older, fresh] = [
      await fixture.create('acc_overdue_1'),
      await fixture.create('acc_overdue_2'),
      await fixture.create('acc_overdue_3'),
    ] as const;
    const taken = await fixture.create('acc_overdue_4');
    await claim(taken);
    await sql.query(
      `update jobs set dispatched_at = now() - case when id = $2 then interval '5 s' else interval '3 s' end
       where id in ($1, $2, $3)`,
      [old, older, taken],
    );
    const find = async (limit: number) =>
      (await leases.findOverdueOffers({ limit })).offers.map(({ jobId }) => jobId);
    assert.deepEqual(await find(100), [older, old]);
    assert.deepEqual(await find(1), [older]);
    await claim(older);
    assert.deepEqual(await find(100), [old]);
    assert.ok(await isDispatched(fresh));
    await refusal(leases.findOverdueOffers({ limit: 0 }), 'INVALID_PARAMS');
  });

  test('a late event of a job that was returned to the queue does not let it overtake others', async () => {
    const account = 'acc_turn';
    const [first, second, third] = [
      await fixture.create(account),
      await fixture.create(account),
      await fixture.create(account),
    ] as const;
    await refusal(claim(third), 'NOT_CLAIMABLE');
    const { fence } = await claim(first);
    await claim(second);
    await fixture.leases.completeJob({ jobId: first, fence, ...anOutcome(first, fence) });
    await claim(third);
  });
});
