import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { fromCutFields } from '@audiosplit/proto/cut';
import type { Cut } from '@audiosplit/proto/jobs/v1/cut';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startBillingFixture } from '../billing.fixture.ts';
import type { BillingClient } from '../client.ts';

describe('usage and quota', () => {
  let billing: BillingClient;
  const fixture = forSuite(startBillingFixture);
  before(() => {
    billing = fixture.billing;
  });

  const usageOf = (accountId: string, period = 'current') =>
    billing.getUsage({ period }, fixture.actingFor(accountId));
  const remainingOf = async (accountId: string) => (await billing.getQuota({ accountId })).remainingMs;

  interface Completion {
    readonly jobId?: string;
    readonly durationMs?: number;
    readonly storedBytes?: number;
    readonly meteredMs?: number;
    readonly cut?: Cut;
    readonly at?: Date;
  }
  const complete = async (accountId: string, completion: Completion = {}) => {
    const { jobId = newId('job'), durationMs = 0, storedBytes = 0, at = fixture.now() } = completion;
    const { meteredMs, cut } = completion;
    await fixture.tell(
      accountId,
      {
        case: 'splitStatusChanged',
        value: {
          jobId,
          status: 'completed',
          completedAt: timestampFromDate(at),
          sourceDurationMs: BigInt(durationMs),
          storedBytes: BigInt(storedBytes),
          ...(meteredMs === undefined ? {} : { meteredMs: BigInt(meteredMs) }),
          ...(cut === undefined ? {} : { cut }),
        },
      },
      { key: jobId },
    );
    return jobId;
  };
  const changeStatus = async (accountId: string, status: string, jobId = newId('job'), more: object = {}) => {
    const value = { jobId, status, ...more };
    await fixture.tell(accountId, { case: 'splitStatusChanged', value }, { key: jobId });
  };
  /** Waits until this many jobs of an account are counted. */
  const counted = (accountId: string, jobs: number, period?: string) =>
    until(async () => {
      const { jobsCompleted, jobsFailed } = await usageOf(accountId, period);
      return jobsCompleted + jobsFailed === BigInt(jobs);
    });

  // Covers D-5.11 I-2.8.3
  it('is zero at first', async () => {
    const accountId = newId('acc');
    const usage = await usageOf(accountId);
    assert.deepEqual(usage.periodStart, timestampFromDate(new Date('2026-03-01T00:00:00Z')));
    assert.deepEqual(usage.periodEnd, timestampFromDate(new Date('2026-04-01T00:00:00Z')));
    assert.equal(usage.minutesProcessed, 0n);
    assert.equal(usage.minutesIncluded, 60n);
    assert.equal(usage.minutesOverage, 0n);
    assert.equal(usage.storageUsedBytes, 0n);
    assert.equal(usage.totalCents, 0n);
    assert.equal(usage.currency, 'usd');
    assert.deepEqual(await remainingOf(accountId), 3_600_000n);
    assert.equal((await billing.getQuota({ accountId })).overageAllowed, false);
  });

  // Covers D-3.17
  it('rounds the minutes of the period up, not those of each job', async () => {
    const accountId = newId('acc');
    for (let n = 0; n < 3; n++) await complete(accountId, { durationMs: 20_000 });
    await counted(accountId, 3);
    assert.equal((await usageOf(accountId)).minutesProcessed, 1n);
    await complete(accountId, { durationMs: 1 });
    await counted(accountId, 4);
    assert.equal((await usageOf(accountId)).minutesProcessed, 2n);
    assert.equal(await remainingOf(accountId), 3_600_000n - 60_001n);
  });

  it('reports the days in UTC on request', async () => {
    const accountId = newId('acc');
    await complete(accountId, { durationMs: 60_000, at: new Date('2026-03-10T23:59:59Z') });
    await complete(accountId, { durationMs: 30_000, at: new Date('2026-03-11T00:00:00Z') });
    await complete(accountId, { durationMs: 15_000, at: new Date('2026-03-11T12:00:00Z') });
    await counted(accountId, 3);
    const { days } = await billing.getUsage({ period: 'current', byDay: true }, fixture.actingFor(accountId));
    assert.deepEqual(
      days.map(({ day, sourceDurationMs, jobsCompleted }) => [
        day && timestampDate(day).toISOString(),
        sourceDurationMs,
        jobsCompleted,
      ]),
      [
        ['2026-03-10T00:00:00.000Z', 60_000n, 1n],
        ['2026-03-11T00:00:00.000Z', 45_000n, 2n],
      ],
    );
    assert.deepEqual((await usageOf(accountId)).days, []);
  });

  // Covers D-3.18
  it('counts a job once, also after a redelivery', async () => {
    const accountId = newId('acc');
    const jobId = await complete(accountId, { durationMs: 60_000, storedBytes: 5 });
    await complete(accountId, { jobId, durationMs: 60_000, storedBytes: 5 });
    await changeStatus(accountId, 'failed', jobId);
    await complete(accountId, { durationMs: 60_000 });
    await counted(accountId, 2);
    const usage = await usageOf(accountId);
    assert.equal(usage.minutesProcessed, 2n);
    assert.equal(usage.jobsFailed, 0n);
    assert.equal(usage.storageUsedBytes, 5n);
  });

  // Covers D-3.16 I-2.8.6
  it('counts failed jobs without minutes, and does not count unfinished ones', async () => {
    const accountId = newId('acc');
    const jobId = newId('job');
    await changeStatus(accountId, 'processing', jobId);
    await changeStatus(accountId, 'failed', jobId);
    await counted(accountId, 1);
    const usage = await usageOf(accountId);
    assert.equal(usage.jobsFailed, 1n);
    assert.equal(usage.jobsCompleted, 0n);
    assert.equal(usage.minutesProcessed, 0n);
  });

  it('reports canceled jobs separately from failed ones, also by day', async () => {
    const accountId = newId('acc');
    const codes = ['CANCELED', 'SOURCE_TIMEOUT', 'CANCELED'];
    for (const errorCode of codes) await changeStatus(accountId, 'failed', newId('job'), { errorCode });
    await complete(accountId, { durationMs: 60_000 });
    await counted(accountId, 4);
    const { jobsCompleted, jobsFailed, jobsCanceled, days } = await billing.getUsage(
      { period: 'current', byDay: true },
      fixture.actingFor(accountId),
    );
    assert.deepEqual([jobsCompleted, jobsFailed, jobsCanceled], [1n, 3n, 2n]);
    assert.equal(
      days.reduce((sum, day) => sum + day.jobsCanceled, 0n),
      2n,
    );
  });

  it('counts the reported use of a job, if there is one, instead of the length of its source', async () => {
    const accountId = newId('acc');
    await complete(accountId, { durationMs: 600_000, meteredMs: 61_000 });
    await complete(accountId, { durationMs: 600_000, meteredMs: 0 });
    await complete(accountId, { durationMs: 60_000 });
    await counted(accountId, 3);
    assert.equal((await usageOf(accountId)).minutesProcessed, 3n);
    assert.equal(await remainingOf(accountId), 3_600_000n - 121_000n);
  });

  // Covers C-9.7
  it('does not count dry runs', async () => {
    const accountId = newId('acc');
    const cut = fromCutFields({ splitMode: 'silence', dryRun: true });
    await complete(accountId, { durationMs: 600_000, meteredMs: 0, cut });
    await changeStatus(accountId, 'failed', newId('job'), { cut });
    await complete(accountId, { durationMs: 60_000, cut: fromCutFields({ splitMode: 'silence' }) });
    await counted(accountId, 1);
    const { jobsCompleted, jobsFailed, minutesProcessed } = await usageOf(accountId);
    assert.deepEqual([jobsCompleted, jobsFailed, minutesProcessed], [1n, 0n, 1n]);
  });

  // Covers I-8.12
  it('never shows a negative quota', async () => {
    const accountId = newId('acc');
    await complete(accountId, { durationMs: 3_600_001 });
    await counted(accountId, 1);
    assert.equal(await remainingOf(accountId), 0n);
    const usage = await usageOf(accountId);
    assert.equal(usage.minutesProcessed, 61n);
    assert.equal(usage.minutesOverage, 0n, 'Free knows no overage');
    assert.equal(usage.overageCents, 0n);
  });

  // Covers D-5.11 D-5.12
  it('belongs to the calendar month in which the job finished', async () => {
    const accountId = newId('acc');
    await complete(accountId, { durationMs: 60_000, at: new Date('2026-02-28T23:59:59.999Z') });
    await complete(accountId, { durationMs: 120_000, at: new Date('2026-03-01T00:00:00Z') });
    await counted(accountId, 1);
    await counted(accountId, 1, 'previous');
    assert.equal((await usageOf(accountId)).minutesProcessed, 2n);
    assert.equal((await usageOf(accountId, 'previous')).minutesProcessed, 1n);
    assert.equal((await usageOf(accountId, '2026-02')).minutesProcessed, 1n);
    assert.equal((await usageOf(accountId, '2026-03')).minutesProcessed, 2n);
    assert.equal((await usageOf(accountId, '2026-04')).minutesProcessed, 0n);
    assert.equal(await remainingOf(accountId), 3_600_000n - 120_000n);
    const march = fixture.now();
    fixture.setNow(new Date('2026-04-01T00:00:00Z'));
    assert.equal(await remainingOf(accountId), 3_600_000n, 'a new month, a new quota');
    fixture.setNow(march);
  });

  // Covers D-9.31
  it('keeps the minutes of a deleted job, and frees its storage', async () => {
    const accountId = newId('acc');
    const kept = await complete(accountId, { durationMs: 60_000, storedBytes: 1_000 });
    const deleted = await complete(accountId, { durationMs: 60_000, storedBytes: 200 });
    const expired = await complete(accountId, { durationMs: 60_000, storedBytes: 30 });
    await counted(accountId, 3);
    assert.equal((await usageOf(accountId)).storageUsedBytes, 1_230n);
    await fixture.tell(accountId, { case: 'splitDeleted', value: { jobId: deleted } }, { key: deleted });
    await fixture.tell(accountId, { case: 'segmentsExpired', value: { jobId: expired } }, { key: expired });
    await until(async () => (await usageOf(accountId)).storageUsedBytes === 1_000n);
    assert.equal((await usageOf(accountId)).minutesProcessed, 3n);
    await complete(accountId, { jobId: deleted, durationMs: 60_000, storedBytes: 200 });
    await fixture.tell(accountId, { case: 'splitDeleted', value: { jobId: kept } }, { key: kept });
    await until(async () => (await usageOf(accountId)).storageUsedBytes === 0n);
  });

  it('shows an account only its own usage', async () => {
    const [mine, theirs] = [newId('acc'), newId('acc')];
    await complete(theirs, { durationMs: 60_000, storedBytes: 7 });
    await counted(theirs, 1);
    const usage = await usageOf(mine);
    assert.equal(usage.jobsCompleted, 0n);
    assert.equal(usage.storageUsedBytes, 0n);
  });

  it('is deleted when the account is purged', async () => {
    const accountId = newId('acc');
    await complete(accountId, { durationMs: 60_000, storedBytes: 7 });
    await fixture.billing.setAccountOverrides({ accountId, monthlyMinutes: 1 });
    await counted(accountId, 1);
    await fixture.tell(accountId, { case: 'accountPurged', value: {} });
    await counted(accountId, 0);
    assert.equal((await usageOf(accountId)).minutesIncluded, 60n);
    assert.equal((await usageOf(accountId)).storageUsedBytes, 0n);

    await fixture.tell(accountId, {
      case: 'accountRegistered',
      value: { email: 'ada@example.com', name: '' },
    });
    // Both events have one key, so the first is handled when the second is counted.
    const other = newId('acc');
    for (const [accountOfJob, jobId] of [
      [accountId, newId('job')],
      [other, newId('job')],
    ] as const) {
      const value = {
        jobId,
        status: 'completed',
        completedAt: timestampFromDate(fixture.now()),
        storedBytes: 7n,
      };
      await fixture.tell(accountOfJob, { case: 'splitStatusChanged', value }, { key: 'late' });
    }
    await counted(other, 1);
    await counted(accountId, 0);
    await refusal(fixture.billing.setAccountOverrides({ accountId, monthlyMinutes: 1 }), 'NOT_FOUND');
  });

  for (const period of [
    '',
    'next',
    '2026',
    '2026-00',
    '2026-13',
    '2026-3',
    '26-03',
    '2026-03-01',
    '0001-01',
  ]) {
    // Covers D-7.2
    it(`INVALID_PARAMS: the period ${JSON.stringify(period)}`, async () => {
      const info = await refusal(usageOf(newId('acc'), period), 'INVALID_PARAMS');
      assert.deepEqual(
        info.violations.map((violation) => violation.field),
        ['period'],
      );
    });
  }
});
