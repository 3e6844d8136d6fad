import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { before, beforeEach, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { fromCutFields } from '@audiosplit/proto/cut';
import { WaveformState } from '@audiosplit/proto/jobs/v1/jobs';
import { WaveformOutcome } from '@audiosplit/proto/splitter/v1/splitter';
import { anOutcome, aSplit, type JobsFixture, startJobsFixture } from '../jobs.fixture.ts';

describe('the waveform of a job', () => {
  let drawn: JobsFixture['drawing']['answer'];
  const fixture = forSuite(startJobsFixture);
  before(() => {
    drawn = fixture.drawing.answer;
  });
  beforeEach(() => {
    fixture.drawing.answer = drawn;
    fixture.drawing.asked.length = 0;
  });

  const newAccount = () => `acc_${randomUUID()}`;
  const complete = async (accountId: string) => {
    const jobId = await fixture.create(accountId);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    return jobId;
  };
  const read = (accountId: string, jobId: string) =>
    fixture.jobs.getWaveform({ jobId }, fixture.as(accountId));
  const keysOf = (jobId: string) => Array.fromAsync(fixture.store.list(`jobs/${jobId}/`), ({ key }) => key);

  test('is drawn from the segments when it is first requested, and stored beside them', async () => {
    const account = newAccount();
    const jobId = await complete(account);
    assert.deepEqual(await keysOf(jobId), []);
    for (let time = 0; time < 2; time += 1) {
      const { state, waveform } = await read(account, jobId);
      assert.equal(state, WaveformState.READY);
      assert.deepEqual([...waveform], [1, 2, 3]);
    }
    assert.equal(fixture.drawing.asked.length, 1);
    const [asked] = fixture.drawing.asked;
    assert.equal(asked?.durationMs, 61_000n);
    assert.deepEqual(
      asked?.segments.map(({ startMs }) => startMs),
      [0n, 60_000n],
    );
    assert.deepEqual(await keysOf(jobId), [`jobs/${jobId}/waveform.dat`]);
  });

  test('is drawn one at a time for each account, over all processes', async () => {
    const account = newAccount();
    const [first, second] = [await complete(account), await complete(account)];
    const release = Promise.withResolvers<void>();
    fixture.drawing.answer = async (...call) => {
      await release.promise;
      return await drawn(...call);
    };
    assert.equal((await read(account, first)).state, WaveformState.PENDING);
    assert.equal((await read(account, second)).state, WaveformState.PENDING);
    assert.equal((await read(account, first)).state, WaveformState.PENDING);
    assert.equal(fixture.drawing.asked.length, 1);
    release.resolve();
    await until(async () => (await read(account, first)).state === WaveformState.READY);
    await until(async () => (await read(account, second)).state === WaveformState.READY);
  });

  test('is drawn again if the process that was drawing it died and its time has expired', async () => {
    const account = newAccount();
    const jobId = await complete(account);
    const setUntil = (until: string) =>
      fixture.sql.query(`update account_queues set drawing_until = ${until} where account_id = $1`, [
        account,
      ]);
    await setUntil("now() + interval '1 minute'");
    assert.equal((await read(account, jobId)).state, WaveformState.PENDING);
    await setUntil('now()');
    assert.equal((await read(account, jobId)).state, WaveformState.READY);
  });

  test('waits while no splitter has a free slot, and is requested again', async () => {
    const account = newAccount();
    const jobId = await complete(account);
    fixture.drawing.answer = async () => ({ outcome: WaveformOutcome.NO_ROOM });
    assert.equal((await read(account, jobId)).state, WaveformState.PENDING);
    fixture.drawing.answer = async () => {
      throw new Error('the splitter broke');
    };
    assert.equal((await read(account, jobId)).state, WaveformState.PENDING);
    fixture.drawing.answer = drawn;
    assert.equal((await read(account, jobId)).state, WaveformState.READY);
  });

  test('does not exist for segments that cannot be decoded, which is determined once', async () => {
    const account = newAccount();
    const jobId = await complete(account);
    fixture.drawing.answer = async () => ({ outcome: WaveformOutcome.UNDECODABLE });
    for (let time = 0; time < 2; time += 1) {
      assert.equal((await read(account, jobId)).state, WaveformState.IMPOSSIBLE);
    }
    assert.equal(fixture.drawing.asked.length, 1);
  });

  const dryRun = async (accountId: string, uploadKey?: string) => {
    const { request } = aSplit();
    const cut = fromCutFields({ splitMode: 'duration', segmentDuration: 60, dryRun: true });
    const asked = { ...request, cut, ...(uploadKey === undefined ? {} : { uploadKey }) };
    const { job } = await fixture.jobs.createJob({ request: asked }, fixture.as(accountId));
    const jobId = job?.id ?? assert.fail();
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w', supportsPlans: true });
    const outcome = anOutcome(jobId, fence);
    const segments = outcome.segments.map((segment) => ({ ...segment, objectKey: '' }));
    await fixture.leases.completeJob({ jobId, fence, ...outcome, segments });
    return jobId;
  };

  test('of a dry run is drawn from its uploaded source, and deleted with it', async () => {
    const account = newAccount();
    const uploadKey = `uploads/${account}/up_1/episode.mp3`;
    const jobId = await dryRun(account, uploadKey);
    assert.equal((await read(account, jobId)).state, WaveformState.READY);
    const [asked] = fixture.drawing.asked;
    assert.deepEqual(
      asked?.segments.map(({ objectKey, startMs }) => [objectKey, startMs]),
      [[uploadKey, 0n]],
    );
    assert.deepEqual(await keysOf(jobId), [`jobs/${jobId}/waveform.dat`]);
    await fixture.jobs.deleteJob({ jobId }, fixture.as(account));
    assert.deepEqual(await keysOf(jobId), []);
  });

  test('of a dry run of a link is the one that the dry run has stored, and is deleted with it', async () => {
    const account = newAccount();
    const jobId = await dryRun(account);
    assert.equal((await read(account, jobId)).state, WaveformState.IMPOSSIBLE);
    const key = `jobs/${jobId}/waveform.dat`;
    await fixture.store.put(key, Readable.from([Buffer.from([4, 5])]), { contentType: 'x/y' });
    const { state, waveform } = await read(account, jobId);
    assert.deepEqual([state, ...waveform], [WaveformState.READY, 4, 5]);
    assert.equal(fixture.drawing.asked.length, 0);
    await fixture.jobs.deleteJob({ jobId }, fixture.as(account));
    assert.deepEqual(await keysOf(jobId), []);
  });

  test('does not exist for a job that has not completed or has expired', async () => {
    const account = newAccount();
    assert.equal((await read(account, await fixture.create(account))).state, WaveformState.IMPOSSIBLE);
    const completed = await complete(account);
    await fixture.sql.query("update jobs set completed_at = now() - interval '8 days' where id = $1", [
      completed,
    ]);
    assert.equal((await read(account, completed)).state, WaveformState.IMPOSSIBLE);
    assert.equal(fixture.drawing.asked.length, 0);
  });

  test('JOB_NOT_FOUND for the job of another account', async () => {
    const jobId = await complete(newAccount());
    await refusal(read(newAccount(), jobId), 'JOB_NOT_FOUND');
  });

  test('is deleted with the segments, even if they are deleted while it is drawn', async () => {
    const account = newAccount();
    const kept = await complete(account);
    await read(account, kept);
    await fixture.jobs.deleteJob({ jobId: kept }, fixture.as(account));
    assert.deepEqual(await keysOf(kept), []);

    const raced = await complete(account);
    fixture.drawing.answer = async (...call) => {
      await fixture.jobs.deleteJob({ jobId: raced }, fixture.as(account));
      return await drawn(...call);
    };
    await read(account, raced);
    assert.deepEqual(await keysOf(raced), []);
  });
});
