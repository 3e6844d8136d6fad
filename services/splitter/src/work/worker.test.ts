import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { MediaError } from '@audiosplit/engine/media-error';
import { fromCutFields } from '@audiosplit/proto/cut';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { SourceError } from '../source/source-error.ts';
import {
  engineThatCuts,
  engineThatNeverEnds,
  resultOf,
  segmentFile,
  startWorkerFixture,
} from './worker.fixture.ts';

describe('a worker', () => {
  test('stores the segments below its fence and reports them with names and exact times', async () => {
    await using fixture = await startWorkerFixture({ engine: engineThatCuts(10_000, 10_000, 1_234) });
    await fixture.offer('job_1');
    await until(() => fixture.said.completed.length === 1);
    const [done] = fixture.said.completed;
    assert.equal(done?.fence, 3n);
    assert.equal(done?.outputFormat, OutputFormat.MP3);
    assert.equal(done?.sourceDurationMs, 21_234n);
    assert.equal(done?.sourceFileName, 'talk.final.mp3');
    assert.deepEqual(
      done?.segments.map((segment) => [
        segment.index,
        segment.fileName,
        segment.startMs,
        segment.durationMs,
        segment.sizeBytes,
      ]),
      [
        [0, 'talk.final-0.mp3', 0n, 10_000n, 10_000n],
        [1, 'talk.final-1.mp3', 10_000n, 10_000n, 10_000n],
        [2, 'talk.final-2.mp3', 20_000n, 1_234n, 1_234n],
      ],
    );
    for (const segment of done?.segments ?? []) {
      assert.equal(segment.objectKey, `jobs/job_1/3/${segment.index}.mp3`);
      assert.equal((await fixture.store.head(segment.objectKey)).sizeBytes, Number(segment.sizeBytes));
    }
    await until(async () => (await fixture.scratchLeft()).length === 0);
  });

  test('passes on the limits that came with the claim', async () => {
    const seen: unknown[] = [];
    await using fixture = await startWorkerFixture({
      async engine(options) {
        const { cut, maxSourceDurationMs, maxOutputBytes, sourceSizeBytes, outputFormat } = options;
        seen.push(cut, maxSourceDurationMs, maxOutputBytes, sourceSizeBytes, outputFormat);
        return engineThatCuts(10)(options);
      },
    });
    await fixture.offer('job_1');
    await until(() => fixture.said.completed.length === 1);
    assert.deepEqual(seen, [{ mode: 'duration', segmentDurationSeconds: 10 }, 5_000, 7_000, 5, undefined]);
  });

  test('drops a job that it cannot claim, and frees its slot', async () => {
    let refusals = 0;
    await using fixture = await startWorkerFixture({
      engine: engineThatCuts(10),
      concurrency: 1,
      jobs: {
        claimJob() {
          refusals += 1;
          throw new ServiceError(Reason.NOT_CLAIMABLE, 'Somebody else has it.');
        },
      },
    });
    for (let n = 0; n < 3; n++) await fixture.offer(`job_${n}`);
    assert.equal(refusals, 3);
    assert.equal(fixture.bus.paused, false);
  });

  test('returns the event if the jobs service is unavailable', async () => {
    await using fixture = await startWorkerFixture({
      engine: engineThatCuts(10),
      jobs: {
        claimJob() {
          throw new UnavailableError(new Error('postgres is away'));
        },
      },
    });
    await assert.rejects(fixture.offer('job_1'), /not available/);
  });

  test('acknowledges the event once the job is claimed, and pauses while it is full', async () => {
    const ends: (() => void)[] = [];
    await using fixture = await startWorkerFixture({
      concurrency: 1,
      async engine(options) {
        await new Promise<void>((resolve) => ends.push(resolve));
        return engineThatCuts(10)(options);
      },
    });
    await fixture.offer('job_1');
    assert.equal(fixture.bus.paused, true);
    const second = fixture.offer('job_2');
    await until(() => ends.length === 1);
    assert.deepEqual(fixture.said.claimed, ['job_1']);
    ends[0]?.();
    await second;
    await until(() => ends.length === 2);
    ends[1]?.();
    await until(() => fixture.said.completed.length === 2);
    assert.equal(fixture.bus.paused, false);
  });

  test('stops and reports nothing more when its lease is lost', async () => {
    let stopped = false;
    await using fixture = await startWorkerFixture({
      leaseMs: 150,
      engine: engineThatNeverEnds(() => {
        stopped = true;
      }),
      jobs: {
        renewLease() {
          throw new ServiceError(Reason.LEASE_LOST, 'Over.');
        },
      },
    });
    await fixture.offer('job_1');
    await until(() => stopped && fixture.worker.running().length === 0);
    assert.deepEqual([fixture.said.completed, fixture.said.failed, fixture.said.released], [[], [], []]);
  });

  test('stops when no renewal succeeds for the length of the lease', async () => {
    let stopped = false;
    await using fixture = await startWorkerFixture({
      leaseMs: 200,
      engine: engineThatNeverEnds(() => {
        stopped = true;
      }),
      jobs: {
        renewLease() {
          throw new UnavailableError(new Error('cut off'));
        },
      },
    });
    await fixture.offer('job_1');
    await until(() => stopped);
  });

  test('repeats a completion that was not received', async () => {
    let calls = 0;
    await using fixture = await startWorkerFixture({
      engine: engineThatCuts(10),
      jobs: {
        completeJob() {
          calls += 1;
          if (calls < 3) throw new UnavailableError(new Error('the reply was lost'));
          return {};
        },
      },
    });
    await fixture.offer('job_1');
    await until(() => calls === 3 && fixture.worker.running().length === 0);
    assert.deepEqual(fixture.said.failed, []);
  });

  test('hands back jobs that do not end within the grace period, without reporting a failure', async () => {
    const fixture = await startWorkerFixture({ engine: engineThatNeverEnds(), drainGraceMs: 50 });
    await fixture.offer('job_1');
    await fixture[Symbol.asyncDispose]();
    assert.deepEqual(
      fixture.said.released.map(({ jobId, fence }) => [jobId, fence]),
      [['job_1', 3n]],
    );
    assert.deepEqual([fixture.said.completed, fixture.said.failed], [[], []]);
  });

  test('takes no more jobs from the moment it begins to drain, and continues its current ones', async () => {
    const ends: (() => void)[] = [];
    const fixture = await startWorkerFixture({
      concurrency: 1,
      drainGraceMs: 60_000,
      async engine(options) {
        await new Promise<void>((resolve) => ends.push(resolve));
        return engineThatCuts(10)(options);
      },
    });
    await fixture.offer('job_1');
    const waiting = fixture.offer('job_2');
    await until(() => ends.length === 1);
    fixture.worker.beginDrain();
    await assert.rejects(waiting, /unsubscribed/, 'the event goes back to the bus');
    assert.deepEqual(fixture.worker.running(), ['job_1']);
    ends[0]?.();
    await fixture[Symbol.asyncDispose]();
    assert.deepEqual([fixture.said.claimed, fixture.said.completed.length], [['job_1'], 1]);
    assert.deepEqual(fixture.said.released, []);
  });

  test('lets a job finish while it drains, if it is quick enough', async () => {
    let started = false;
    const fixture = await startWorkerFixture({
      drainGraceMs: 5_000,
      async engine(options) {
        started = true;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return engineThatCuts(10)(options);
      },
    });
    await fixture.offer('job_1');
    await until(() => started);
    await fixture[Symbol.asyncDispose]();
    assert.equal(fixture.said.completed.length, 1);
    assert.deepEqual(fixture.said.released, []);
  });

  test('a claim in flight when the worker stops is completed instead of left to expire', async () => {
    const claiming = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const fixture = await startWorkerFixture({
      engine: engineThatNeverEnds(),
      jobs: {
        async claimJob() {
          claiming.resolve();
          await answer.promise;
          return {
            request: {
              sourceUrl: 'https://example.com/a.mp3',
              cut: fromCutFields({ splitMode: 'duration', segmentDuration: 10 }),
            },
            fence: 3n,
            leaseMs: 30_000,
            wallClockLeftMs: 60_000n,
            maxSourceBytes: 1_000n,
          };
        },
      },
    });
    const handled = fixture.offer('job_1');
    await claiming.promise;
    const stopped = fixture[Symbol.asyncDispose]();
    answer.resolve();
    await Promise.all([handled, stopped]);
    assert.deepEqual(
      fixture.said.released.map(({ jobId }) => jobId),
      ['job_1'],
    );
  });

  test('a worker that stops waits for a job that returned while its lost attempt was still ending', async () => {
    const ends: (() => void)[] = [];
    let renewals = 0;
    const fixture = await startWorkerFixture({
      leaseMs: 150,
      drainGraceMs: 5_000,
      async engine(options) {
        await new Promise<void>((resolve) => ends.push(resolve));
        return engineThatCuts(10)(options);
      },
      jobs: {
        renewLease() {
          if (ends.length === 0) return { leaseMs: 150 };
          renewals += 1;
          if (renewals === 1) throw new ServiceError(Reason.LEASE_LOST, 'Over.');
          return { leaseMs: 150 };
        },
      },
    });
    await fixture.offer('job_1');
    await until(() => renewals > 0);
    await fixture.offer('job_1');
    await until(() => ends.length === 2);
    ends[0]?.();
    await until(() => fixture.worker.running().length === 1);
    const stopped = fixture[Symbol.asyncDispose]();
    ends[1]?.();
    await stopped;
    assert.equal(fixture.said.completed.length, 1);
  });

  // Covers D-2.3
  test('TIMED_OUT when the job has used up its time', async () => {
    await using fixture = await startWorkerFixture({ engine: engineThatNeverEnds(), wallClockLeftMs: 50 });
    await fixture.offer('job_1');
    await until(() => fixture.said.failed.length === 1);
    assert.equal(fixture.said.failed[0]?.error?.code, 'TIMED_OUT');
    assert.equal(fixture.said.failed[0]?.retryable, false);
  });

  for (const [what, thrown, code, retryable] of [
    [
      'an unavailable source',
      new SourceError('SOURCE_UNREACHABLE', 'Away.', true),
      'SOURCE_UNREACHABLE',
      true,
    ],
    [
      'a source that rejects the request',
      new SourceError('SOURCE_UNREACHABLE', 'Status 404.', false),
      'SOURCE_UNREACHABLE',
      false,
    ],
    [
      'a forbidden address',
      new SourceError('SOURCE_FORBIDDEN', 'Private.', false),
      'SOURCE_FORBIDDEN',
      false,
    ],
    [
      'a source that is too large',
      new SourceError('FILE_TOO_LARGE', 'Too large.', false),
      'FILE_TOO_LARGE',
      false,
    ],
    ['a web page', new MediaError('UNSUPPORTED_MEDIA', 'Not audio.'), 'UNSUPPORTED_MEDIA', false],
    [
      'an impossible limit',
      new MediaError('SEGMENT_LIMIT_UNREACHABLE', 'Too small.'),
      'SEGMENT_LIMIT_UNREACHABLE',
      false,
    ],
    ['too many segments', new MediaError('TOO_MANY_SEGMENTS', 'Too many.'), 'TOO_MANY_SEGMENTS', false],
    ['a used-up quota', new MediaError('QUOTA_EXCEEDED', 'Used up.'), 'QUOTA_EXCEEDED', false],
  ] as const) {
    // Covers D-2.6 D-2.7 D-2.8 D-2.9 D-2.10 D-2.22 D-3.14 D-9.11
    test(`${code} for ${what}, with its message unchanged`, async () => {
      await using fixture = await startWorkerFixture({ engine: () => Promise.reject(thrown) });
      await fixture.offer('job_1');
      await until(() => fixture.said.failed.length === 1);
      const [failure] = fixture.said.failed;
      assert.deepEqual(
        [failure?.error?.code, failure?.error?.message, failure?.retryable],
        [code, thrown.message, retryable],
      );
      await until(async () => (await fixture.scratchLeft()).length === 0);
    });
  }

  // Covers D-2.11
  test('INTERNAL_ERROR, retryable and without the cause, for any other error', async () => {
    await using fixture = await startWorkerFixture({
      engine: () => Promise.reject(new Error('ENOSPC: /var/secret')),
    });
    await fixture.offer('job_1');
    await until(() => fixture.said.failed.length === 1);
    const [failure] = fixture.said.failed;
    assert.equal(failure?.error?.code, 'INTERNAL_ERROR');
    assert.equal(failure?.retryable, true);
    assert.ok(!failure?.error?.message.includes('ENOSPC'));
  });

  test('never publishes a gap, a missing segment or a wrong total', async () => {
    const broken = [
      async ({ scratchDir, onSegment }: Parameters<ReturnType<typeof engineThatCuts>>[0]) => {
        await onSegment(await segmentFile(scratchDir, 0, 0, 1_000));
        await onSegment(await segmentFile(scratchDir, 1, 1_500, 1_000));
        return resultOf(2, 2_500);
      },
      async ({ scratchDir, onSegment }: Parameters<ReturnType<typeof engineThatCuts>>[0]) => {
        await onSegment(await segmentFile(scratchDir, 1, 0, 1_000));
        return resultOf(1, 1_000);
      },
      async ({ scratchDir, onSegment }: Parameters<ReturnType<typeof engineThatCuts>>[0]) => {
        await onSegment(await segmentFile(scratchDir, 0, 0, 1_000));
        return resultOf(1, 2_000);
      },
    ];
    for (const engine of broken) {
      await using fixture = await startWorkerFixture({ engine });
      await fixture.offer('job_1');
      await until(() => fixture.said.failed.length === 1);
      assert.equal(fixture.said.failed[0]?.error?.code, 'INTERNAL_ERROR');
      assert.deepEqual(fixture.said.completed, []);
    }
  });
});
