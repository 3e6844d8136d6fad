import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { fromCutFields } from '@audiosplit/proto/cut';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobSortField, JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { anOutcome, aSplit, describeEvents, startJobsFixture } from './jobs.fixture.ts';
import { expireSegments } from './store/retention.ts';

describe('jobs on behalf of an account', () => {
  const fixture = forSuite(startJobsFixture);

  // Covers I-2.2.1 I-3.1.1 D-2.5
  test('a created job reads back as requested, metadata character by character', async () => {
    const { jobs, as } = fixture;
    const metadata = '{"b": 1, "a": {"nested": [true, null]}}';
    const { job } = await jobs.createJob(
      {
        request: {
          sourceUrl: 'https://example.com/a.wav',
          uploadKey: 'uploads/acc_roundtrip/a.wav',
          cut: fromCutFields({ splitMode: 'fileSize', maxFileSize: 1_000_000 }),
          outputFormat: OutputFormat.FLAC,
        },
        webhookUrl: 'https://example.com/hook',
        metadataJson: metadata,
      },
      as('acc_roundtrip'),
    );
    assert.ok(job);
    assert.match(job.id, /^job_[0-9a-z]{26}$/);
    const { job: read } = await jobs.getJob({ jobId: job.id }, as('acc_roundtrip'));
    assert.deepEqual(read, { ...job, queuePosition: 1 });
    assert.deepEqual([read?.status, read?.metadataJson], [JobStatus.QUEUED, metadata]);
    const { uploadKey, maxFileSizeBytes } = read?.request ?? {};
    assert.deepEqual([uploadKey, maxFileSizeBytes], ['uploads/acc_roundtrip/a.wav', 1_000_000n]);
    assert.equal(read?.request?.segmentDurationSeconds, undefined);
  });

  for (const [what, metadataJson] of Object.entries({
    'numbers beyond those of JavaScript': '{"a":12345678901234567890,"b":1e400,"c":-0,"d":1.0}',
    'names that occur twice': '{"a":1,"a":2}',
    'half a surrogate pair, and no character': '{"\\ud800":"\\udfff\\u0000"}',
    'as deep as 8 KiB allow': `{"a":${'['.repeat(4_093)}${']'.repeat(4_093)}}`,
  })) {
    test(`metadata is returned unchanged: ${what}`, async () => {
      const { jobs, as } = fixture;
      const { job } = await jobs.createJob({ ...aSplit(), metadataJson }, as('acc_metadata'));
      const { job: read } = await jobs.getJob({ jobId: job?.id ?? '' }, as('acc_metadata'));
      assert.equal(read?.metadataJson, metadataJson);
    });
  }

  test('INVALID_PARAMS names the field: no mode, an unknown mode, no URL, an upload of another account, an unknown format', async () => {
    const { jobs, as } = fixture;
    for (const [field, request] of [
      ['splitMode', { sourceUrl: 'https://e.com/a', cut: {} }],
      ['splitMode', { sourceUrl: 'https://e.com/a' }],
      ['sourceUrl', { ...aSplit('ftp://e.com/a').request }],
      ['sourceUrl', { ...aSplit().request, uploadKey: 'uploads/acc_bounds2/upl_1/a.wav' }],
      ['outputFormat', { ...aSplit().request, outputFormat: 99 as OutputFormat }],
    ] as const) {
      await assert.rejects(jobs.createJob({ request }, as('acc_bounds')), (error) => {
        assert.ok(hasReason(error, Reason.INVALID_PARAMS));
        assert.match(String(error), new RegExp(field));
        return true;
      });
    }
  });

  // Covers D-9.10
  test('INVALID_PARAMS for a source that the inspection rejects', async () => {
    const { jobs, as } = fixture;
    const creation = jobs.createJob(aSplit('https://forbidden.example/a.mp3'), as('acc_forbidden'));
    await refusal(creation, 'INVALID_PARAMS');
  });

  // Covers D-2.21
  test('an inspection that fails in another way does not prevent the creation', async () => {
    const { jobs, as } = fixture;
    const { job } = await jobs.createJob(aSplit('https://breaks.example/a.mp3'), as('acc_breaks'));
    assert.equal(job?.status, JobStatus.QUEUED);
  });

  test('a read without segments returns only the job', async () => {
    const { jobs, leases, as } = fixture;
    const { job } = await jobs.createJob(aSplit(), as('acc_alone'));
    const jobId = job?.id ?? '';
    const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
    await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    const { job: whole } = await jobs.getJob({ jobId }, as('acc_alone'));
    const { job: alone } = await jobs.getJob({ jobId, omitSegments: true }, as('acc_alone'));
    assert.equal(whole?.segments.length, 2);
    assert.deepEqual(alone, { ...whole, segments: [] });
  });

  test("only the gateway reads the progress of all accounts' jobs", async () => {
    const { jobs, leases, as } = fixture;
    const ids: string[] = [];
    for (const account of ['acc_far_1', 'acc_far_1', 'acc_far_2', 'acc_far_2'])
      ids.push((await jobs.createJob(aSplit(), as(account))).job?.id ?? '');
    const [queued = '', running = '', completed = '', failed = ''] = ids;
    for (const jobId of [running, completed]) {
      const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
      await leases.renewLease({ jobId, fence, progressPercent: 42 });
      if (jobId === completed) await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    }
    await jobs.cancelJob({ jobId: failed }, as('acc_far_2'));
    const { jobs: found } = await jobs.getProgress({ jobIds: [...ids, 'job_none'] });
    assert.deepEqual(
      found.map(({ jobId, status, progressPercent }) => [jobId, status, progressPercent]).sort(),
      [
        [queued, JobStatus.QUEUED, 0],
        [running, JobStatus.PROCESSING, 42],
        [completed, JobStatus.COMPLETED, 100],
        [failed, JobStatus.FAILED, 0],
      ].sort(),
    );
    await refusal(jobs.getProgress({ jobIds: ids }, as('acc_far_1')), 'UNAUTHORIZED');
    await refusal(jobs.getProgress({ jobIds: Array(1_001).fill('job_x') }), 'INVALID_PARAMS');
  });

  // Covers I-7.7
  test('a job shows how much of its source has been fetched', async () => {
    const { jobs, leases, as } = fixture;
    const account = as('acc_fetching');
    const jobId = (await jobs.createJob(aSplit(), account)).job?.id ?? '';
    const read = async () => {
      const { job } = await jobs.getJob({ jobId }, account);
      const [followed] = (await jobs.getProgress({ jobIds: [jobId] })).jobs;
      assert.deepEqual(followed?.fetching, job?.fetching);
      return job?.fetching && [job.fetching.fetchedBytes, job.fetching.totalBytes];
    };
    assert.equal(await read(), undefined, 'queued');
    const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
    assert.deepEqual(await read(), [0n, undefined], 'claimed');
    const renew = (fetching?: { fetchedBytes: bigint; totalBytes?: bigint }) =>
      leases.renewLease({
        jobId,
        fence,
        progressPercent: 0,
        ...(fetching === undefined ? {} : { fetching }),
      });
    await renew({ fetchedBytes: 5_000_000_000n });
    assert.deepEqual(await read(), [5_000_000_000n, undefined]);
    await renew({ fetchedBytes: 5_000_000_001n, totalBytes: 9_000_000_000n });
    assert.deepEqual(await read(), [5_000_000_001n, 9_000_000_000n]);
    await renew();
    assert.equal(await read(), undefined, 'all of it is there');
    await renew({ fetchedBytes: 1n });
    await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    assert.equal(await read(), undefined, 'completed');
  });

  for (const [end, endAttempt] of Object.entries<(jobId: string, fence: bigint) => Promise<unknown>>({
    'has failed and is tried again': (jobId, fence) =>
      fixture.leases.failJob({
        jobId,
        fence,
        error: { code: 'INTERNAL_ERROR', message: '' },
        retryable: true,
      }),
    'was released': (jobId, fence) => fixture.leases.releaseJob({ jobId, fence }),
    'has lost its lease': async (jobId) => {
      await fixture.sql.query("update jobs set lease_until = now() - interval '1 s' where id = $1", [jobId]);
      await fixture.runTask('reap');
    },
  }))
    test(`no fetch progress is shown once the attempt ${end}`, async () => {
      const { jobs, leases, as } = fixture;
      const account = as('acc_fetching_ended');
      const jobId = (await jobs.createJob(aSplit(), account)).job?.id ?? '';
      const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
      await leases.renewLease({
        jobId,
        fence,
        progressPercent: 0,
        fetching: { fetchedBytes: 3n, totalBytes: 9n },
      });
      await endAttempt(jobId, fence);
      const { job } = await jobs.getJob({ jobId }, account);
      assert.deepEqual([job?.status, job?.fetching], [JobStatus.PROCESSING, undefined]);
      assert.equal((await jobs.getProgress({ jobIds: [jobId] })).jobs[0]?.fetching, undefined);
      await jobs.cancelJob({ jobId }, account);
    });

  test('a job completed by a version without fetch progress shows none', async () => {
    const { jobs, leases, as, sql } = fixture;
    const account = as('acc_fetching_old');
    const jobId = (await jobs.createJob(aSplit(), account)).job?.id ?? '';
    const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
    await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    await sql.query('update jobs set fetched_bytes = 3, fetch_total_bytes = 9 where id = $1', [jobId]);
    assert.equal((await jobs.getJob({ jobId }, account)).job?.fetching, undefined);
    assert.equal((await jobs.getProgress({ jobIds: [jobId] })).jobs[0]?.fetching, undefined);
  });

  test("JOB_NOT_FOUND for another account's job: read, delete and cancel", async () => {
    const { jobs, as } = fixture;
    const { job } = await jobs.createJob(aSplit(), as('acc_owner'));
    const jobId = job?.id ?? '';
    await refusal(jobs.getJob({ jobId }, as('acc_other')), 'JOB_NOT_FOUND');
    await refusal(jobs.deleteJob({ jobId }, as('acc_other')), 'JOB_NOT_FOUND');
    await refusal(jobs.cancelJob({ jobId }, as('acc_other')), 'JOB_NOT_FOUND');
    assert.equal((await jobs.getJob({ jobId }, as('acc_owner'))).job?.status, JobStatus.QUEUED);
  });

  test('UNAUTHORIZED without an account: a service cannot read jobs', async () => {
    await refusal(fixture.jobs.getJob({ jobId: 'job_x' }), 'UNAUTHORIZED');
  });

  test('UNAUTHORIZED for an account that calls the lease protocol', async () => {
    const { leases, as } = fixture;
    await refusal(leases.claimJob({ jobId: 'job_x', workerId: 'w' }, as('acc_a')), 'UNAUTHORIZED');
  });

  // Covers I-4.4.3 I-4.4.4 I-4.4.5 D-9.7
  test('lists are paged, filtered and sorted, with exact totals', async () => {
    const { jobs, leases, as } = fixture;
    const account = as('acc_list');
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await jobs.createJob(aSplit(), account)).job?.id ?? '');
    for (const jobId of [ids[1], ids[0]] as string[]) {
      const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
      await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    }
    const list = async (query: object) => {
      const { jobs: rows, total } = await jobs.listJobs({ page: 1, limit: 10, ...query }, account);
      return { ids: rows.map((row) => row.id), total: Number(total) };
    };
    assert.deepEqual(await list({}), { ids: [...ids].reverse(), total: 5 });
    assert.deepEqual(await list({ ascending: true, limit: 2, page: 2 }), { ids: [ids[2], ids[3]], total: 5 });
    assert.deepEqual(await list({ status: JobStatus.COMPLETED }), { ids: [ids[1], ids[0]], total: 2 });
    const byCompletion = await list({ sortBy: JobSortField.COMPLETED_AT });
    assert.deepEqual(byCompletion.ids.slice(0, 2), [ids[0], ids[1]]);
    const ascending = await list({ sortBy: JobSortField.COMPLETED_AT, ascending: true });
    assert.deepEqual(ascending.ids.slice(0, 2), [ids[1], ids[0]], 'unfinished jobs come last either way');
    assert.deepEqual(await list({ page: 3 }), { ids: [], total: 5 });
    assert.deepEqual(await list({ status: JobStatus.FAILED }), { ids: [], total: 0 });
  });

  test('jobs created at the same moment have a stable order, and pages neither skip nor repeat one', async () => {
    const { jobs, as, sql } = fixture;
    const account = as('acc_moment');
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.push((await jobs.createJob(aSplit(), account)).job?.id ?? '');
    await sql.query("update jobs set created_at = '2026-03-01Z' where account_id = 'acc_moment'");
    for (const sortBy of [JobSortField.CREATED_AT, JobSortField.COMPLETED_AT]) {
      for (const status of [JobStatus.UNSPECIFIED, JobStatus.QUEUED]) {
        for (const ascending of [true, false]) {
          const seen: string[] = [];
          for (const page of [1, 2, 3, 4]) {
            const found = await jobs.listJobs({ page, limit: 2, sortBy, status, ascending }, account);
            seen.push(...found.jobs.map(({ id }) => id));
          }
          assert.deepEqual(seen, ascending ? ids.toSorted() : ids.toSorted().reverse());
        }
      }
    }
  });

  // Covers D-7.2
  test('INVALID_PARAMS for a page or a limit out of bounds', async () => {
    const { jobs, as } = fixture;
    for (const query of [
      { page: 0, limit: 20 },
      { page: 1, limit: 101 },
      { page: 1, limit: 0 },
      { page: 1_000_001, limit: 1 },
    ]) {
      await refusal(jobs.listJobs(query, as('acc_list')), 'INVALID_PARAMS');
    }
  });

  // Covers I-3.1.3 D-2.12
  test('deleting a completed job deletes its objects', async () => {
    const { jobs, leases, store, as, sql } = fixture;
    const { job } = await jobs.createJob(aSplit(), as('acc_delete'));
    const jobId = job?.id ?? '';
    const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
    await store.put(`jobs/${jobId}/${fence}/0.mp3`, Readable.from([Buffer.alloc(10)]), {
      contentType: 'audio/mpeg',
    });
    await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    await jobs.deleteJob({ jobId }, as('acc_delete'));
    await refusal(jobs.getJob({ jobId }, as('acc_delete')), 'JOB_NOT_FOUND');
    await refusal(jobs.deleteJob({ jobId }, as('acc_delete')), 'JOB_NOT_FOUND');
    for await (const object of store.list(`jobs/${jobId}/`)) assert.fail(`${object.key} is left`);
    const { rows } = await sql.query('select * from segments where job_id = $1', [jobId]);
    assert.deepEqual(rows, []);
  });

  test('a completed job shows how long its segments are kept, until they expire', async () => {
    const { jobs, leases, as, sql } = fixture;
    const account = as('acc_kept');
    const { job } = await jobs.createJob(aSplit(), account);
    const jobId = job?.id ?? '';
    const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
    const read = async () => {
      const { job } = await jobs.getJob({ jobId }, account);
      assert.ok(job);
      return job;
    };
    assert.equal((await read()).segmentsKeptUntil, undefined);
    await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    const { completedAt, segmentsKeptUntil } = await read();
    assert.ok(completedAt && segmentsKeptUntil);
    assert.equal(segmentsKeptUntil.seconds - completedAt.seconds, 7n * 86_400n);
    // As a shorter retention set it earlier: a longer one does not bring them back.
    const expiredAt = new Date();
    await expireSegments(sql, jobId, expiredAt);
    const expired = await read();
    assert.deepEqual(
      [expired.segmentsExpiredAt, expired.segmentsKeptUntil, expired.segments],
      [timestampFromDate(expiredAt), undefined, []],
    );
  });

  // Covers I-3.1.5
  test('JOB_ALREADY_PROCESSING: a running job is not deleted, and continues', async () => {
    const { jobs, leases, as } = fixture;
    const { job } = await jobs.createJob(aSplit(), as('acc_running'));
    const jobId = job?.id ?? '';
    const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
    await refusal(jobs.deleteJob({ jobId }, as('acc_running')), 'JOB_ALREADY_PROCESSING');
    await leases.renewLease({ jobId, fence, progressPercent: 40 });
    assert.equal((await jobs.getJob({ jobId }, as('acc_running'))).job?.progressPercent, 40);
  });

  // Covers D-2.14 D-2.15
  test('canceling stops a queued and a running job; JOB_ALREADY_FINISHED after that', async () => {
    const { jobs, leases, as } = fixture;
    const account = as('acc_cancel');
    const queued = (await jobs.createJob(aSplit(), account)).job?.id ?? '';
    const running = (await jobs.createJob(aSplit(), account)).job?.id ?? '';
    const { fence } = await leases.claimJob({ jobId: running, workerId: 'w' });
    for (const jobId of [queued, running]) {
      const { job } = await jobs.cancelJob({ jobId }, account);
      assert.equal(job?.status, JobStatus.FAILED);
      assert.equal(job?.error?.code, 'CANCELED');
      await refusal(jobs.cancelJob({ jobId }, account), 'JOB_ALREADY_FINISHED');
    }
    await refusal(leases.renewLease({ jobId: running, fence, progressPercent: 1 }), 'LEASE_LOST');
    await refusal(leases.claimJob({ jobId: queued, workerId: 'w' }), 'NOT_CLAIMABLE');
  });

  test('a raised limit dispatches waiting jobs', async () => {
    const { jobs, bus, as, events } = fixture;
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await jobs.createJob(aSplit(), as('acc_raise'))).job?.id ?? '');
    const requested = () =>
      describeEvents(events()).filter((line) => ids.some((id) => line === `requested ${id}`));
    await until(() => requested().length === 2, 'two are offered');
    await bus.deliver(TOPICS.accounts, {
      accountId: 'acc_raise',
      payload: {
        case: 'accountLimitsChanged',
        value: { limits: { concurrentJobs: 4, maxFileSizeBytes: 1n, revision: 2n, planId: 'plan_pro' } },
      },
    });
    await until(() => requested().length === 4, 'all are offered');
    assert.deepEqual(
      requested(),
      ids.map((id) => `requested ${id}`),
      'first in, first out',
    );
  });
});

describe("the account's allowance", () => {
  // Covers I-4.3.11 I-7.11
  test('FILE_TOO_LARGE at creation if the size is known', async () => {
    await using fixture = await startJobsFixture({ sourceSizeBytes: 100 * 1024 * 1024 + 1 });
    await refusal(fixture.jobs.createJob(aSplit(), fixture.as('acc_a')), 'FILE_TOO_LARGE');
  });

  // Covers D-3.13 I-8.12
  test('QUOTA_EXCEEDED at creation without remaining quota or overage', async () => {
    await using fixture = await startJobsFixture({ overageAllowed: false, quotaLeftMs: 0 });
    await refusal(fixture.jobs.createJob(aSplit(), fixture.as('acc_a')), 'QUOTA_EXCEEDED');
  });

  // Covers D-3.14
  test('the claim returns the remaining quota', async () => {
    await using fixture = await startJobsFixture({ overageAllowed: false, quotaLeftMs: 90_000 });
    const { job } = await fixture.jobs.createJob(aSplit(), fixture.as('acc_a'));
    const claim = await fixture.leases.claimJob({ jobId: job?.id ?? '', workerId: 'w' });
    assert.equal(claim.maxSourceDurationMs, 90_000n);
    assert.equal(claim.maxSourceBytes, 100n * 1024n * 1024n);
  });
});
