/** Jobs that use cuts beyond the first two modes: their fields, their usage, and dry runs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { type CutFields, fromCutFields, toCutFields } from '@audiosplit/proto/cut';
import type { SplitStatusChanged } from '@audiosplit/proto/events/v1/events';
import { JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { anOutcome, startJobsFixture } from '../jobs.fixture.ts';

const DRY_RUN: CutFields = { splitMode: 'silence', dryRun: true };
const DAY_SECONDS = 86_400n;

describe('results of the new cuts', () => {
  const fixture = forSuite(() =>
    startJobsFixture({ overageAllowed: false, quotaLeftMs: 0, concurrentJobs: 1 }),
  );

  const create = async (accountId: string, cut: CutFields) => {
    const { job } = await fixture.jobs.createJob(
      { request: { sourceUrl: 'https://example.com/a.mp3', cut: fromCutFields(cut) } },
      fixture.as(accountId),
    );
    return job?.id ?? '';
  };
  const claim = (jobId: string) => fixture.leases.claimJob({ jobId, workerId: 'w', supportsPlans: true });
  const read = async (accountId: string, jobId: string) =>
    (await fixture.jobs.getJob({ jobId }, fixture.as(accountId))).job;
  /** A job for an account with a quota. */
  const createWithin = async (accountId: string, cut: CutFields) => {
    fixture.billing.quotaLeftMs = 3_600_000;
    const jobId = await create(accountId, cut);
    const { fence } = await claim(jobId);
    fixture.billing.quotaLeftMs = 0;
    return { jobId, fence };
  };
  const completionOf = async (jobId: string): Promise<SplitStatusChanged> => {
    let found: SplitStatusChanged | undefined;
    await until(() => {
      for (const { payload } of fixture.events()) {
        if (payload.case !== 'splitStatusChanged') continue;
        if (payload.value.jobId === jobId && payload.value.status === 'completed') found = payload.value;
      }
      return found !== undefined;
    });
    return found ?? assert.fail();
  };
  const dryOutcome = (jobId: string, fence: bigint) => {
    const outcome = anOutcome(jobId, fence);
    return { ...outcome, segments: outcome.segments.map((segment) => ({ ...segment, objectKey: '' })) };
  };

  test('a splitter of an earlier release receives plain cuts only; other jobs wait for a splitter of this release', async () => {
    fixture.billing.quotaLeftMs = 3_600_000;
    const claimAsEarlier = (jobId: string) => fixture.leases.claimJob({ jobId, workerId: 'earlier' });
    const plain = await create('acc_earlier', { splitMode: 'duration', segmentDuration: 60 });
    const { fence: plainFence } = await claimAsEarlier(plain);
    await fixture.leases.completeJob({ jobId: plain, fence: plainFence, ...anOutcome(plain, plainFence) });
    for (const cut of [
      { splitMode: 'duration', segmentDuration: 60, overlap: 1 },
      { splitMode: 'fileSize', maxFileSize: 65_536, fileName: '{number}' },
      { splitMode: 'parts', parts: 2 },
    ] as const) {
      const jobId = await create('acc_earlier', cut);
      await refusal(claimAsEarlier(jobId), 'NOT_CLAIMABLE');
      assert.equal((await read('acc_earlier', jobId))?.status, JobStatus.QUEUED);
      const { fence } = await claim(jobId);
      await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    }
    fixture.billing.quotaLeftMs = 0;
  });

  test('segments and the job show the values that the splitter reports, and no others', async () => {
    const account = 'acc_results';
    const cut = { splitMode: 'parts', parts: 2, overlap: 1, encoding: { loudness: { target: -16 } } };
    const { jobId, fence } = await createWithin(account, cut as CutFields);
    const { segments, ...outcome } = anOutcome(jobId, fence);
    const [first, second] = segments;
    assert.ok(first && second);
    const reported = { ...second, contentStartMs: 60_500n, endKind: 'end', title: 'A "b", {c} NULL' };
    const loudness = { measuredLufs: -20.25, gainDb: 4.25, truePeakDbtp: -1 };
    await fixture.leases.completeJob({
      jobId,
      fence,
      ...outcome,
      segments: [first, reported],
      loudness,
      meteredMs: 61_000n,
    });
    const job = await read(account, jobId);
    const [before, after] = job?.segments ?? [];
    const { contentStartMs, endKind, title, sizeIsEstimate } = before ?? {};
    assert.deepEqual(
      [contentStartMs, endKind, title, sizeIsEstimate],
      [undefined, undefined, undefined, false],
    );
    assert.deepEqual([after?.contentStartMs, after?.endKind, after?.title], [60_500n, 'end', reported.title]);
    const { measuredLufs, gainDb, truePeakDbtp } = job?.loudness ?? {};
    assert.deepEqual({ measuredLufs, gainDb, truePeakDbtp }, loudness);
    assert.equal((await completionOf(jobId)).meteredMs, 61_000n);
  });

  test('a source that was not read to its end has an estimated length', async () => {
    for (const sourceDurationIsEstimate of [true, false]) {
      const account = 'acc_unread';
      const { jobId, fence } = await createWithin(account, { splitMode: 'parts', parts: 2 });
      await fixture.leases.completeJob({
        jobId,
        fence,
        ...anOutcome(jobId, fence),
        sourceDurationIsEstimate,
      });
      assert.equal((await read(account, jobId))?.sourceDurationIsEstimate, sourceDurationIsEstimate);
    }
  });

  test('loudness of a silent source, and no loudness, are reported', async () => {
    for (const loudness of [{ gainDb: 0 }, undefined]) {
      const { jobId, fence } = await createWithin('acc_silent', { splitMode: 'silence' });
      const given = loudness === undefined ? {} : { loudness };
      await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence), ...given });
      const job = await read('acc_silent', jobId);
      assert.deepEqual([job?.loudness?.gainDb, job?.loudness?.measuredLufs], [loudness?.gainDb, undefined]);
    }
  });

  // Covers C-10.8 C-10.9
  test('a plain cut uses the length of its source; another cut uses the length of its segments, to the second', async () => {
    const plain = await createWithin('acc_used', { splitMode: 'duration', segmentDuration: 60 });
    await fixture.leases.completeJob({ ...plain, ...anOutcome(plain.jobId, plain.fence) });
    const before = await completionOf(plain.jobId);
    assert.deepEqual([before.meteredMs, before.sourceDurationMs], [undefined, 61_000n]);

    const trimmed = await createWithin('acc_used', {
      splitMode: 'duration',
      segmentDuration: 60,
      trim: { end: 5 },
    });
    const outcome = anOutcome(trimmed.jobId, trimmed.fence);
    const [first] = outcome.segments;
    assert.ok(first);
    const segments = [{ ...first, startMs: 0n, contentStartMs: 500n, durationMs: 4_501n }];
    await fixture.leases.completeJob({ ...trimmed, ...outcome, segments });
    assert.equal((await completionOf(trimmed.jobId)).meteredMs, 5_000n);
  });

  // Covers C-9.5 C-9.7
  test('a dry run needs and uses no quota, but waits for its turn', async () => {
    const account = 'acc_dry';
    await refusal(create(account, { splitMode: 'silence' }), 'QUOTA_EXCEEDED');
    const jobId = await create(account, DRY_RUN);
    const other = await create(account, DRY_RUN);
    const { fence, maxSourceDurationMs } = await claim(jobId);
    assert.equal(maxSourceDurationMs, undefined);
    await assert.rejects(claim(other), /not|turn|jobs running/);

    await refusal(fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) }), 'INVALID_PARAMS');
    await fixture.leases.completeJob({ jobId, fence, ...dryOutcome(jobId, fence), meteredMs: 61_000n });
    const job = await read(account, jobId);
    assert.equal(job?.status, JobStatus.COMPLETED);
    assert.deepEqual(
      job?.segments.map(({ objectKey, sizeBytes }) => [objectKey, sizeBytes]),
      [
        ['', 500n],
        ['', 500n],
      ],
    );
    const { meteredMs, storedBytes, sourceDurationMs, cut } = await completionOf(jobId);
    assert.deepEqual([meteredMs, storedBytes, sourceDurationMs], [0n, 0n, undefined]);
    assert.equal(cut?.dryRun, true);
  });

  test('only a dry run may have segments without objects', async () => {
    for (const cut of [{ splitMode: 'silence' }, { splitMode: 'silence', dryRun: false }] as CutFields[]) {
      const { jobId, fence } = await createWithin('acc_wet', cut);
      const completion = fixture.leases.completeJob({ jobId, fence, ...dryOutcome(jobId, fence) });
      await refusal(completion, 'INVALID_PARAMS');
      await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    }
  });

  // Covers C-9.8
  test('a dry run is kept for a day, other jobs for the usual time', async () => {
    const account = 'acc_day';
    const dry = await createWithin(account, DRY_RUN);
    await fixture.leases.completeJob({ ...dry, ...dryOutcome(dry.jobId, dry.fence) });
    const wet = await createWithin(account, { splitMode: 'silence' });
    await fixture.leases.completeJob({ ...wet, ...anOutcome(wet.jobId, wet.fence) });
    const { completedAt, segmentsKeptUntil } = (await read(account, dry.jobId)) ?? {};
    assert.equal((segmentsKeptUntil?.seconds ?? 0n) - (completedAt?.seconds ?? 0n), DAY_SECONDS);

    await fixture.sql.query(
      "update jobs set completed_at = completed_at - interval '1 day 1 second' where account_id = $1",
      [account],
    );
    assert.ok((await read(account, dry.jobId))?.segmentsExpiredAt);
    await fixture.runTask('expire-segments');
    const { rows } = await fixture.sql.query<{ job_id: string }>(
      'select distinct job_id from segments where job_id = any($1)',
      [[dry.jobId, wet.jobId]],
    );
    assert.deepEqual(rows, [{ job_id: wet.jobId }]);
  });

  // Covers C-10.1 C-10.2 C-10.3
  test('lists and events omit positions, a read and a claim include them', async () => {
    const account = 'acc_positions';
    const chapters = Array.from({ length: 9_999 }, (_, n) => ({ startTime: n, title: `Chapter ${n}` }));
    const cut: CutFields = { splitMode: 'chapters', chapters, maxDuration: 60 };
    const small = { splitMode: 'chapters', maxDuration: 60 };
    const { jobId, fence } = await createWithin(account, cut);
    assert.deepEqual(toCutFields((await read(account, jobId))?.request?.cut), cut);
    const page = { page: 1, limit: 10 };
    const listed = await fixture.jobs.listJobs(page, fixture.as(account));
    const found = await fixture.jobs.searchJobs({ text: 'example', limit: 10 }, fixture.as(account));
    for (const { jobs } of [listed, found]) assert.deepEqual(toCutFields(jobs[0]?.request?.cut), small);
    const walked = await fixture.jobs.walkJobs({}, fixture.as(account));
    assert.deepEqual(toCutFields(walked.jobs[0]?.request?.cut), cut);
    await fixture.leases.completeJob({
      jobId,
      fence,
      ...anOutcome(jobId, fence),
      outputFormat: OutputFormat.OGG,
    });
    assert.deepEqual(toCutFields((await completionOf(jobId)).cut), small);
  });
});
