import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { type ClaimPartResponse, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { TOPICS } from '@audiosplit/proto/topics';
import { anOutcome, describeEvents, startJobsFixture } from '../jobs.fixture.ts';
import { reap } from '../lease/reaper.ts';
import { deleteScheduledObjects } from '../retention/sweep-objects.ts';
import { divisionInto, SEGMENT_MS, segmentsOf } from './parts.fixture.ts';

describe('parts of a job', () => {
  const fixture = forSuite(startJobsFixture);

  let accounts = 0;
  const reapNow = () => reap(fixture.pool, () => undefined);
  const partsLeft = async (jobId: string) => {
    const { rows } = await fixture.sql.query(
      `select (select count(*)::int from job_parts where job_id = $1) as parts,
              (select count(*)::int from job_divisions where job_id = $1) as divisions`,
      [jobId],
    );
    return rows[0];
  };
  const letLeasesRunOut = (jobId: string) =>
    fixture.sql.query(
      "update job_parts set lease_until = now() - interval '1 second' where job_id = $1 and lease_until is not null",
      [jobId],
    );
  const offersOf = (jobId: string) =>
    fixture
      .events()
      .flatMap(({ payload }) => (payload.case === 'splitRequested' ? [payload.value] : []))
      .filter((request) => request.jobId === jobId && request.part !== undefined)
      .map(({ part }) => part);
  const claim = (jobId: string, part?: number, workerId = 'w') =>
    fixture.leases.claimPart({ jobId, workerId, ...(part === undefined ? {} : { part }) });

  async function divided(count: number, { progressPercent = 0, accountId = `acc_${++accounts}` } = {}) {
    const jobId = await fixture.create(accountId);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'first' });
    await fixture.leases.renewLease({ jobId, fence, progressPercent });
    await fixture.leases.divideJob({ jobId, fence, ...divisionInto(count) });
    return { jobId, accountId, fence };
  }
  const complete = (jobId: string, claimed: ClaimPartResponse) => {
    const { part, fence } = claimed;
    return fixture.leases.completePart({ jobId, part, fence, segments: segmentsOf(jobId, claimed) });
  };

  test('the last part completes the job, with the segments of all parts in order', async () => {
    const { jobId, accountId, fence } = await divided(3);
    for (const part of [2, 0, 1]) {
      const claimed = await claim(jobId, part);
      assert.deepEqual(JSON.parse(claimed.specJson), { part });
      assert.equal(claimed.segmentCount, 6);
      assert.equal(claimed.sourceFileName, 'lecture.wav');
      assert.equal(claimed.jobFence, fence);
      assert.equal((await fixture.read(accountId, jobId)).status, JobStatus.PROCESSING);
      await complete(jobId, claimed);
    }
    const job = await fixture.read(accountId, jobId);
    assert.equal(job.status, JobStatus.COMPLETED);
    assert.deepEqual(
      job.segments.map(({ index, startMs }) => [index, startMs]),
      [0, 1, 2, 3, 4, 5].map((index) => [index, BigInt(index) * SEGMENT_MS]),
    );
    assert.equal(job.sourceDurationMs, 6n * SEGMENT_MS);
    assert.deepEqual(await partsLeft(jobId), { parts: 0, divisions: 0 });
    const published = () => describeEvents(fixture.events()).filter((line) => line.endsWith(jobId));
    await until(() => published().includes(`completed ${jobId}`));
    assert.equal(published().filter((line) => line === `completed ${jobId}`).length, 1);
  });

  test('two workers that claim concurrently get different parts, and a third gets none', async () => {
    const { jobId } = await divided(2);
    const claims = await Promise.allSettled(['a', 'b', 'c'].map((worker) => claim(jobId, undefined, worker)));
    const taken = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value.part] : []));
    assert.deepEqual(taken.sort(), [0, 1]);
    assert.ok(claims.some((one) => one.status === 'rejected' && hasReason(one.reason, Reason.NOT_CLAIMABLE)));
    await refusal(claim(jobId, 0), 'NOT_CLAIMABLE');
  });

  test('two parts that finish concurrently complete the job exactly once', async () => {
    for (let round = 0; round < 5; round++) {
      const { jobId, accountId } = await divided(2);
      const claims = await Promise.all([claim(jobId, 0), claim(jobId, 1)]);
      await Promise.all(claims.map((claimed) => complete(jobId, claimed)));
      const job = await fixture.read(accountId, jobId);
      assert.equal(job.status, JobStatus.COMPLETED);
      assert.equal(job.segments.length, 4);
      const lines = () => describeEvents(fixture.events()).filter((line) => line === `completed ${jobId}`);
      await until(() => lines().length > 0);
      assert.equal(lines().length, 1);
      const { rows } = await fixture.sql.query(
        'select processing, completed::int from account_queues where account_id = $1',
        [accountId],
      );
      assert.deepEqual(rows[0], { processing: 0, completed: 1 });
    }
  });

  test('a completion may be repeated, also after the job has completed', async () => {
    const { jobId, accountId, fence } = await divided(2);
    await fixture.leases.divideJob({ jobId, fence, ...divisionInto(2) });
    const claims = [await claim(jobId, 0), await claim(jobId, 1)];
    for (const claimed of claims) {
      await complete(jobId, claimed);
      await complete(jobId, claimed);
    }
    for (const claimed of claims) await complete(jobId, claimed);
    await fixture.leases.divideJob({ jobId, fence, ...divisionInto(2) });
    assert.equal((await fixture.read(accountId, jobId)).segments.length, 4);
  });

  test('LEASE_LOST: a divided job has no lease itself', async () => {
    const { jobId, fence } = await divided(2);
    await refusal(fixture.leases.renewLease({ jobId, fence, progressPercent: 50 }), 'LEASE_LOST');
    await refusal(fixture.leases.releaseJob({ jobId, fence }), 'LEASE_LOST');
    await refusal(fixture.leases.claimJob({ jobId, workerId: 'w' }), 'NOT_CLAIMABLE');
    await reapNow();
    await refusal(fixture.leases.claimJob({ jobId, workerId: 'w' }), 'NOT_CLAIMABLE');
  });

  test('a part whose worker was killed is claimed by another worker, with a higher fence', async () => {
    const { jobId, accountId } = await divided(2);
    const dead = await claim(jobId, 0, 'dead');
    const other = await claim(jobId, 1, 'other');
    await fixture.leases.renewLease({ jobId, part: 1, fence: other.fence, progressPercent: 10 });
    await fixture.sql.query(
      "update job_parts set lease_until = now() - interval '1 second' where job_id = $1 and index = 0",
      [jobId],
    );
    await reapNow();
    await until(() => offersOf(jobId).filter((part) => part === 0).length === 2, 'part 0 is offered again');
    const heir = await claim(jobId, 0, 'heir');
    assert.ok(heir.fence > dead.fence);
    assert.equal(heir.attempt, 2);
    const lease = { jobId, part: 0, fence: dead.fence };
    await refusal(fixture.leases.renewLease({ ...lease, progressPercent: 99 }), 'LEASE_LOST');
    await refusal(fixture.leases.failJob({ ...lease, error: { code: 'X', message: 'x' } }), 'LEASE_LOST');
    await refusal(fixture.leases.releaseJob(lease), 'LEASE_LOST');
    await refusal(complete(jobId, dead), 'LEASE_LOST');
    await complete(jobId, other);
    await complete(jobId, heir);
    const { segments } = await fixture.read(accountId, jobId);
    assert.equal(segments[0]?.objectKey, segmentsOf(jobId, heir)[0]?.objectKey);
  });

  test('a part that is interrupted too often fails its job', async () => {
    const { jobId, accountId } = await divided(2);
    for (let attempt = 1; attempt <= 3; attempt++) {
      assert.equal((await claim(jobId, 0)).attempt, attempt);
      await letLeasesRunOut(jobId);
      await reapNow();
    }
    const job = await fixture.read(accountId, jobId);
    assert.equal(job.error?.code, 'INTERNAL_ERROR');
    assert.deepEqual(await partsLeft(jobId), { parts: 0, divisions: 0 });
  });

  test('a retryable failure of a part does not affect the others; a permanent one ends them all', async () => {
    const { jobId, accountId } = await divided(3);
    const [failing, sibling] = [await claim(jobId, 0), await claim(jobId, 1)];
    const error = { code: 'INTERNAL_ERROR', message: 'It broke.' };
    await fixture.leases.failJob({ jobId, part: 0, fence: failing.fence, error, retryable: true });
    await refusal(claim(jobId, 0), 'NOT_CLAIMABLE');
    await fixture.leases.renewLease({ jobId, part: 1, fence: sibling.fence, progressPercent: 1 });
    await fixture.sql.query(
      "update job_parts set lease_until = now() - interval '1 second' where job_id = $1 and index = 0",
      [jobId],
    );
    await reapNow();
    const again = await claim(jobId, 0);
    await fixture.leases.failJob({ jobId, part: 0, fence: again.fence, error, retryable: false });
    assert.equal((await fixture.read(accountId, jobId)).error?.message, 'It broke.');
    const siblings = { jobId, part: 1, fence: sibling.fence };
    await refusal(fixture.leases.renewLease({ ...siblings, progressPercent: 2 }), 'LEASE_LOST');
    await refusal(complete(jobId, sibling), 'LEASE_LOST');
    await refusal(claim(jobId), 'NOT_CLAIMABLE');
  });

  test('a cancel ends every lease, and LEASE_LOST says that the owner canceled', async () => {
    const { jobId, accountId } = await divided(3);
    const claims = [await claim(jobId, 0), await claim(jobId, 1)];
    const leases = claims.map(({ part, fence }) => ({ jobId, part, fence }));
    assert.deepEqual((await fixture.leases.checkLeases({ leases })).over, []);
    await fixture.jobs.cancelJob({ jobId }, fixture.as(accountId));
    const { over } = await fixture.leases.checkLeases({ leases });
    assert.deepEqual(
      over.map(({ part, fence }) => ({ part, fence })),
      claims.map(({ part, fence }) => ({ part, fence })),
    );
    for (const lease of leases) {
      const renewal = fixture.leases.renewLease({ ...lease, progressPercent: 5 });
      assert.equal((await refusal(renewal, 'LEASE_LOST')).endedByOwner, true);
    }
    assert.deepEqual(await partsLeft(jobId), { parts: 0, divisions: 0 });
  });

  test('a worker that shuts down releases its part, and the attempt does not count', async () => {
    const { jobId } = await divided(2);
    const { fence } = await claim(jobId, 1);
    await fixture.leases.releaseJob({ jobId, part: 1, fence });
    const next = await claim(jobId, 1);
    assert.equal(next.attempt, 1);
    assert.ok(next.fence > fence);
  });

  test('a job that cannot be done in parts is offered as a whole, and is not divided again', async () => {
    const { jobId, accountId, fence } = await divided(2);
    const [one, two] = [await claim(jobId, 0), await claim(jobId, 1)];
    await complete(jobId, two);
    await fixture.leases.releaseJob({ jobId, part: 0, fence: one.fence, asWhole: true });
    await refusal(complete(jobId, one), 'LEASE_LOST');
    await refusal(fixture.leases.divideJob({ jobId, fence, ...divisionInto(2) }), 'LEASE_LOST');
    assert.deepEqual(await partsLeft(jobId), { parts: 0, divisions: 0 });
    const whole = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    assert.equal(whole.staysWhole, true);
    assert.equal(whole.attempt, 1);
    const again = { jobId, fence: whole.fence, ...divisionInto(2) };
    await refusal(fixture.leases.divideJob(again), 'INVALID_PARAMS');
    await fixture.leases.completeJob({ jobId, fence: whole.fence, ...anOutcome(jobId, whole.fence) });
    assert.equal((await fixture.read(accountId, jobId)).segments.length, 2);
  });

  test('progress adds up over the parts, starting from the progress at the division, and never decreases', async () => {
    const { jobId, accountId } = await divided(4, { progressPercent: 20 });
    const seen: number[] = [];
    const note = async () => seen.push((await fixture.read(accountId, jobId)).progressPercent);
    await note();
    const [one, two] = [await claim(jobId, 0), await claim(jobId, 1)];
    const renew = ({ part, fence }: typeof one, progressPercent: number) =>
      fixture.leases.renewLease({ jobId, part, fence, progressPercent });
    await renew(one, 50);
    await note();
    await renew(two, 50);
    await note();
    await renew(two, 10);
    await note();
    await complete(jobId, one);
    await note();
    await fixture.sql.query(
      "update job_parts set lease_until = now() - interval '1 second' where job_id = $1 and index = 1",
      [jobId],
    );
    await reapNow();
    await renew(await claim(jobId, 1), 3);
    await note();
    assert.deepEqual(seen, [20, 30, 40, 40, 50, 50]);
  });

  test('an account has few parts on offer at once, over all its jobs; each claim offers the next one', async () => {
    const accountId = `acc_${++accounts}`;
    const one = await divided(4, { accountId });
    const two = await divided(4, { accountId });
    const offered = () => [...offersOf(one.jobId), ...offersOf(two.jobId)];
    await until(() => offered().length === 5);
    assert.deepEqual([offersOf(one.jobId), offersOf(two.jobId)], [[0, 1, 2, 3], [0]]);
    await claim(one.jobId, 0);
    await until(() => offersOf(two.jobId).length === 2);
    // Claiming a part that was not offered makes no room.
    assert.equal((await claim(two.jobId)).part, 2);
    await fixture.jobs.cancelJob({ jobId: one.jobId }, fixture.as(accountId));
    await until(() => offersOf(two.jobId).length === 3);
    assert.deepEqual(offersOf(two.jobId), [0, 1, 3]);
  });

  test('a divided job counts as one under the cap of its account', async () => {
    const accountId = `acc_${++accounts}`;
    const { jobId } = await divided(4, { accountId });
    for (const part of [0, 1, 2]) await claim(jobId, part);
    const second = await fixture.create(accountId);
    await fixture.leases.claimJob({ jobId: second, workerId: 'w' });
    const third = await fixture.create(accountId);
    await refusal(fixture.leases.claimJob({ jobId: third, workerId: 'w' }), 'NOT_CLAIMABLE');
  });

  test('a part that has been offered for long is offered again', async () => {
    const { jobId } = await divided(2);
    await until(() => offersOf(jobId).length === 2);
    await fixture.sql.query(
      "update job_parts set dispatched_at = now() - interval '6 minutes' where job_id = $1",
      [jobId],
    );
    await reapNow();
    await until(() => offersOf(jobId).length === 4);
  });

  test('TIMED_OUT after the deadline, whether or not a worker has one of the parts', async () => {
    const { jobId, accountId } = await divided(2);
    await fixture.sql.query("update jobs set deadline_at = now() - interval '1 second' where id = $1", [
      jobId,
    ]);
    await reapNow();
    assert.equal((await fixture.read(accountId, jobId)).error?.code, 'TIMED_OUT');
  });

  test('parts that leave a gap, and segments of another part, are rejected', async () => {
    const accountId = `acc_${++accounts}`;
    const jobId = await fixture.create(accountId);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    const division = divisionInto(3);
    const [first, , third] = division.parts;
    assert.ok(first && third);
    for (const parts of [[], [first, third], [third, first]]) {
      await refusal(fixture.leases.divideJob({ jobId, fence, ...division, parts }), 'INVALID_PARAMS');
    }
    await fixture.leases.divideJob({ jobId, fence, ...division });
    const claimed = await claim(jobId, 1);
    for (const segments of [
      [],
      segmentsOf(jobId, { ...claimed, part: 0 }),
      segmentsOf(jobId, claimed).slice(1),
      segmentsOf(jobId, { ...claimed, fence: claimed.fence - 1n }),
    ]) {
      const completion = { jobId, part: 1, fence: claimed.fence, segments };
      await refusal(fixture.leases.completePart(completion), 'INVALID_PARAMS');
    }
    await complete(jobId, claimed);
  });

  test('only the segments are stored in the end', async () => {
    const { jobId, fence } = await divided(2);
    const put = (key: string) =>
      fixture.store.put(key, Readable.from([Buffer.from('sound')]), { contentType: 'audio/mpeg' });
    await put(`jobs/${jobId}/${fence}/source/pieces`);
    const abandoned = await claim(jobId, 0);
    for (const { objectKey } of segmentsOf(jobId, abandoned)) await put(objectKey);
    await fixture.leases.releaseJob({ jobId, part: 0, fence: abandoned.fence });
    const stored: string[] = [];
    for (const part of [0, 1]) {
      const claimed = await claim(jobId, part);
      for (const { objectKey } of segmentsOf(jobId, claimed)) {
        await put(objectKey);
        stored.push(objectKey);
      }
      await complete(jobId, claimed);
    }
    await fixture.sql.query("update doomed_prefixes set delete_after = now() - interval '1 second'");
    await deleteScheduledObjects({ pool: fixture.pool, openStore: async () => fixture.store });
    const keys: string[] = [];
    for await (const { key } of fixture.store.list(`jobs/${jobId}/`)) keys.push(key);
    assert.deepEqual(keys, stored);
  });

  test('a purge of the account deletes the parts', async () => {
    const { jobId, accountId } = await divided(2);
    const { fence } = await claim(jobId, 0);
    await fixture.bus.deliver(TOPICS.accounts, {
      id: `evt_${jobId}`,
      accountId,
      payload: { case: 'accountPurged', value: {} },
    });
    assert.deepEqual(await partsLeft(jobId), { parts: 0, divisions: 0 });
    const renewal = fixture.leases.renewLease({ jobId, part: 0, fence, progressPercent: 1 });
    assert.equal((await refusal(renewal, 'LEASE_LOST')).endedByOwner, true);
  });
});
