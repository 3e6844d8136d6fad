/** Closing, restoring and purging an account, and iterating over all of its jobs. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { type Job, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { anOutcome, aSplit, describeEvents, startJobsFixture } from '../jobs.fixture.ts';

type Case = 'accountDeletionRequested' | 'accountRestored' | 'accountPurged';

describe('an account that is deleted', () => {
  const fixture = forSuite(startJobsFixture);

  const newAccount = () => `acc_${randomUUID()}`;
  const at = (second: number) => timestampFromDate(new Date(Date.UTC(2026, 2, 14, 9, 26, second)));
  const deliver = (accountId: string, kind: Case, { id = randomUUID() as string, second = 0 } = {}) =>
    fixture.bus.deliver(TOPICS.accounts, {
      id,
      accountId,
      occurredAt: at(second),
      payload: { case: kind, value: {} },
    });
  const read = async (accountId: string, jobId: string): Promise<Job | undefined> =>
    (await fixture.jobs.getJob({ jobId }, fixture.as(accountId))).job;
  const totals = async (accountId: string) => {
    const list = async (status: JobStatus) =>
      Number((await fixture.jobs.listJobs({ page: 1, limit: 1, status }, fixture.as(accountId))).total);
    return {
      queued: await list(JobStatus.QUEUED),
      processing: await list(JobStatus.PROCESSING),
      failed: await list(JobStatus.FAILED),
    };
  };
  const rowsOf = async (accountId: string) => {
    const { rows } = await fixture.sql.query<{ count: number }>(
      `select (select count(*)::int from jobs where account_id = $1)
         + (select count(*)::int from account_queues where account_id = $1)
         + (select count(*)::int from account_limits where account_id = $1) as count`,
      [accountId],
    );
    return rows[0]?.count;
  };

  // Covers D-6.2
  test('while closed has its queued jobs fail, its running jobs continue, and new ones rejected', async () => {
    const account = newAccount();
    const running = await fixture.create(account);
    const { fence } = await fixture.leases.claimJob({ jobId: running, workerId: 'w' });
    const waiting = [
      await fixture.create(account),
      await fixture.create(account),
      await fixture.create(account),
    ];
    await deliver(account, 'accountDeletionRequested');
    assert.deepEqual(await totals(account), { queued: 0, processing: 1, failed: 3 });
    for (const jobId of waiting) {
      const job = await read(account, jobId);
      assert.deepEqual([job?.status, job?.error?.code], [JobStatus.FAILED, 'CANCELED']);
      assert.ok(job?.failedAt !== undefined);
      await refusal(fixture.leases.claimJob({ jobId, workerId: 'w' }), 'NOT_CLAIMABLE');
    }
    await until(() => {
      const published = describeEvents(fixture.events());
      return waiting.every((jobId) => published.includes(`failed ${jobId}`));
    });
    await refusal(fixture.jobs.createJob(aSplit(), fixture.as(account)), 'ACCOUNT_PENDING_DELETION');
    await fixture.leases.completeJob({ jobId: running, fence, ...anOutcome(running, fence) });
    assert.equal((await read(account, running))?.status, JobStatus.COMPLETED);
  });

  test('once restored accepts jobs, and a repeated deletion request drops none of them', async () => {
    const account = newAccount();
    await fixture.create(account);
    const id = randomUUID();
    await deliver(account, 'accountDeletionRequested', { id });
    await deliver(account, 'accountRestored');
    const jobId = await fixture.create(account);
    await deliver(account, 'accountDeletionRequested', { id });
    assert.equal((await read(account, jobId))?.status, JobStatus.QUEUED);
    await fixture.create(account);
  });

  test('once restored stays open when an earlier deletion request arrives late', async () => {
    const [known, unknown] = [newAccount(), newAccount()];
    const kept = await fixture.create(known);
    for (const account of [known, unknown]) {
      await deliver(account, 'accountRestored', { second: 2 });
      await deliver(account, 'accountDeletionRequested', { second: 1 });
      await fixture.create(account);
    }
    assert.equal((await read(known, kept))?.status, JobStatus.QUEUED);
    assert.deepEqual(await totals(known), { queued: 2, processing: 0, failed: 0 });

    await deliver(known, 'accountDeletionRequested', { second: 3 });
    assert.deepEqual(await totals(known), { queued: 0, processing: 0, failed: 2 });
    await deliver(known, 'accountRestored', { second: 2 });
    await refusal(fixture.jobs.createJob(aSplit(), fixture.as(known)), 'ACCOUNT_PENDING_DELETION');
  });

  test('closed and restored concurrently follows the last event to arrive', async () => {
    const account = newAccount();
    await deliver(account, 'accountDeletionRequested', { second: 1 });
    await deliver(account, 'accountRestored', { second: 1 });
    await fixture.create(account);
    await deliver(account, 'accountDeletionRequested', { second: 1 });
    assert.deepEqual(await totals(account), { queued: 0, processing: 0, failed: 1 });
  });

  test('once purged leaves neither rows nor objects, and late events create none', async () => {
    const [account, other] = [newAccount(), newAccount()];
    const put = (key: string) =>
      fixture.store.put(key, Readable.from([Buffer.from('x')]), { contentType: 'audio/mpeg' });
    const claimed = async (accountId: string) => {
      const jobId = await fixture.create(accountId);
      const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
      await put(`jobs/${jobId}/${fence}/0.mp3`);
      return { jobId, fence };
    };
    const done = await claimed(account);
    await fixture.leases.completeJob({ ...done, ...anOutcome(done.jobId, done.fence) });
    const running = await claimed(account);
    const kept = await claimed(other);
    await put(`uploads/${account}/upl_1/a.mp3`);
    await put(`uploads/${other}/upl_1/a.mp3`);

    await deliver(account, 'accountDeletionRequested');
    await deliver(account, 'accountPurged');
    assert.equal(await rowsOf(account), 0);
    for (const say of [
      () => fixture.leases.renewLease({ ...running, progressPercent: 1 }),
      () => fixture.leases.completeJob({ ...running, ...anOutcome(running.jobId, running.fence) }),
    ]) {
      const { endedByOwner } = await refusal(say(), 'LEASE_LOST');
      assert.ok(endedByOwner);
    }

    await deliver(account, 'accountPurged');
    await deliver(account, 'accountDeletionRequested');
    await deliver(account, 'accountRestored');
    await fixture.bus.deliver(TOPICS.accounts, {
      id: randomUUID(),
      accountId: account,
      payload: {
        case: 'accountLimitsChanged',
        value: { limits: { planId: 'plan_free', concurrentJobs: 9, revision: 9n } },
      },
    });
    assert.equal(await rowsOf(account), 0);

    const objectsBelow = async (prefix: string) => (await Array.fromAsync(fixture.store.list(prefix))).length;
    // The running job's worker may still be storing: its objects are deleted when it must have noticed.
    const { rows } = await fixture.sql.query<{ prefix: string; minutes: number }>(
      `select prefix, round(extract(epoch from delete_after - now()) / 60)::int as minutes from doomed_prefixes
       where prefix = any($1) order by minutes`,
      [[`jobs/${done.jobId}/`, `jobs/${running.jobId}/`, `uploads/${account}/`]],
    );
    assert.deepEqual(
      rows.map(({ minutes }) => minutes),
      [0, 0, 10],
    );
    await fixture.sql.query('update doomed_prefixes set delete_after = now()');
    await fixture.runTask('sweep-objects');
    for (const prefix of [`jobs/${done.jobId}/`, `jobs/${running.jobId}/`, `uploads/${account}/`]) {
      assert.equal(await objectsBelow(prefix), 0, prefix);
    }
    assert.equal(await objectsBelow(`jobs/${kept.jobId}/`), 1);
    assert.equal(await objectsBelow(`uploads/${other}/`), 1);
    assert.equal((await read(other, kept.jobId))?.status, JobStatus.PROCESSING);
  });

  test('purged while one of its jobs is being claimed leaves nothing', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    const { billing } = fixture;
    const { limits } = billing;
    billing.limits = { ...limits, revision: limits.revision + 1n };
    // The claim has read the job's account when it queries billing for the limits.
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    billing.beforeLimits = () => {
      asked.resolve();
      return answer.promise;
    };
    try {
      const refused = refusal(fixture.leases.claimJob({ jobId, workerId: 'w' }), 'NOT_CLAIMABLE');
      await asked.promise;
      await deliver(account, 'accountPurged');
      answer.resolve();
      await refused;
    } finally {
      answer.resolve();
      billing.beforeLimits = async () => {};
      billing.limits = limits;
    }
    assert.equal(await rowsOf(account), 0);
  });

  test('can be purged with any number of jobs', async () => {
    const account = newAccount();
    await fixture.create(account);
    await fixture.sql.query(
      `insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, error_code)
       select 'job_' || n || $1, $1, 'failed', 'https://example.com', 'duration', 1, 'CANCELED' from generate_series(1, 1200) n`,
      [account],
    );
    await deliver(account, 'accountPurged');
    assert.equal(await rowsOf(account), 0);
  });
});

describe('walking through an account’s jobs', () => {
  const fixture = forSuite(startJobsFixture);

  const walk = async (accountId: string, betweenPages = async () => {}) => {
    const pages: Job[][] = [];
    let pageToken = '';
    do {
      const answer = await fixture.jobs.walkJobs({ pageToken }, fixture.as(accountId));
      pages.push(answer.jobs);
      pageToken = answer.nextPageToken;
      await betweenPages();
    } while (pageToken !== '');
    return pages;
  };
  /** Created within the same microsecond, so that only their ids differ. */
  const insertJobs = (accountId: string, count: number, segmentsEach: number) =>
    fixture.sql.query(
      `with made as (
         insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, completed_at, segment_count)
         select 'job_' || $1 || lpad(n::text, 4, '0'), $1, 'completed', 'https://example.com', 'duration', 1, now(), $3
         from generate_series(1, $2::int) n returning id)
       insert into segments (job_id, index, object_key, file_name, content_type, start_ms, duration_ms, size_bytes)
       select id, n, 'k', 'f', 'audio/mpeg', 0, 1, 1 from made, generate_series(0, $3::int - 1) n`,
      [accountId, count, segmentsEach],
    );
  const idsOf = (accountId: string, count: number) =>
    Array.from({ length: count }, (_, n) => `job_${accountId}${String(n + 1).padStart(4, '0')}`);

  test('returns each job once, oldest first, while others are created and deleted', async () => {
    await insertJobs('acc_many', 250, 1);
    await insertJobs('acc_other', 1, 1);
    let deleted = 0;
    const pages = await walk('acc_many', async () => {
      deleted += 1;
      // One of the returned jobs, at first the very last of a page.
      const [id = ''] = idsOf('acc_many', 101 - deleted).slice(-1);
      await fixture.sql.query('delete from jobs where id = $1', [id]);
    });
    assert.deepEqual(
      pages.map((page) => page.length),
      [100, 100, 50],
    );
    assert.deepEqual(
      pages.flat().map(({ id }) => id),
      idsOf('acc_many', 250),
    );
    assert.ok(pages.flat().every(({ segments }) => segments.length === 1));
  });

  test('keeps a page below the size limit of a message, with any number of segments', async () => {
    await insertJobs('acc_large', 3, 6_000);
    const pages = await walk('acc_large');
    assert.deepEqual(
      pages.map((page) => page.map(({ segments }) => segments.length)),
      [[6_000], [6_000], [6_000]],
    );
  });

  test('returns an empty page for an account without jobs; INVALID_PARAMS, UNAUTHORIZED', async () => {
    assert.deepEqual(await walk('acc_none'), [[]]);
    for (const pageToken of ['x', '2026-03-14 09:26:53+00|', "2026-03-14 09:26:53+00|a'b"]) {
      await refusal(fixture.jobs.walkJobs({ pageToken }, fixture.as('acc_none')), 'INVALID_PARAMS');
    }
    await refusal(fixture.jobs.walkJobs({ pageToken: '' }), 'UNAUTHORIZED');
  });
});
