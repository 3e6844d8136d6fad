import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { CorruptPieceError } from '@audiosplit/engine/parts/corrupt-piece';
import type { PartSpec } from '@audiosplit/engine/parts/part-spec';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { type Engine, RATE_HZ, resultOf, segmentFile, startWorkerFixture } from './worker.fixture.ts';

const DIVISION = { minWorkSeconds: 1, partWorkSeconds: 1 };
const PIECES = ['first piece, ', 'second piece'];
const SEGMENT_SAMPLES = 10_000;
const SEGMENTS_PER_PART = 2;

/** Two parts of two segments; the second part reads only the second piece. */
const PARTS: readonly PartSpec[] = PIECES.map((piece, part) => ({
  encoding: 'mp3',
  pcm: { format: 's16le', sampleRateHz: RATE_HZ, channelCount: 1 },
  container: 'mp3',
  stream: { codec: 'mp3', sampleFormat: 'flt', significantBits: undefined },
  segmentDurationSeconds: 10,
  tags: {},
  cover: null,
  firstSegment: part * SEGMENTS_PER_PART,
  segmentCount: SEGMENTS_PER_PART,
  startSample: part * SEGMENTS_PER_PART * SEGMENT_SAMPLES,
  endSample: (part + 1) * SEGMENTS_PER_PART * SEGMENT_SAMPLES,
  leadInSamples: 0,
  firstPieceByte: part === 0 ? 0 : (PIECES[0]?.length ?? 0),
  firstPieceSample: part * SEGMENTS_PER_PART * SEGMENT_SAMPLES,
  pieces: [{ sizeBytes: piece.length, sampleCount: SEGMENTS_PER_PART * SEGMENT_SAMPLES }],
}));

/** Prepares two parts if it may, and reports what each of them had to read. */
function engineThatDivides(read: string[] = []): Engine {
  return async ({ division, part, scratchDir, onSegment, source }) => {
    if (part !== undefined) {
      assert.ok(!('path' in source));
      read.push(await text(source));
      for (let at = 0; at < part.segmentCount; at++) {
        const start = part.startSample + at * SEGMENT_SAMPLES;
        await onSegment(await segmentFile(scratchDir, part.firstSegment + at, start, SEGMENT_SAMPLES));
      }
      return resultOf(part.segmentCount, part.segmentCount * SEGMENT_SAMPLES);
    }
    if (division === undefined) {
      await onSegment(await segmentFile(scratchDir, 0, 0, SEGMENT_SAMPLES));
      return resultOf(1, SEGMENT_SAMPLES);
    }
    for (const [index, piece] of PIECES.entries()) {
      const path = join(scratchDir, `piece-${index}`);
      await writeFile(path, piece);
      const described = await segmentFile(scratchDir, index, 0, 0);
      await onSegment({ ...described, path, sizeBytes: piece.length, isPiece: true });
    }
    return { ...resultOf(4, 4 * SEGMENT_SAMPLES), parts: PARTS };
  };
}

describe('a worker that divides a job', () => {
  test('stores the pieces as one object, reports the parts, and works on them itself', async () => {
    const read: string[] = [];
    await using fixture = await startWorkerFixture({ engine: engineThatDivides(read), division: DIVISION });
    await fixture.offer('job_1');
    await until(() => fixture.said.completedParts.length === 2);
    const [division] = fixture.said.divided;
    assert.equal(division?.fence, 3n);
    assert.equal(division?.outputFormat, OutputFormat.MP3);
    assert.equal(division?.sourceDurationMs, 40_000n);
    assert.deepEqual(
      division?.parts.map(({ firstSegment, segmentCount }) => [firstSegment, segmentCount]),
      [
        [0, 2],
        [2, 2],
      ],
    );
    const { body } = await fixture.store.get('jobs/job_1/3/source/pieces');
    assert.equal(await text(body), PIECES.join(''));
    assert.deepEqual(read, PIECES);
    const segments = fixture.said.completedParts.flatMap((part) => part.segments);
    assert.deepEqual(
      segments.map(({ index, fileName, objectKey, startMs }) => [index, fileName, objectKey, startMs]),
      [
        [0, 'talk.final-0.mp3', 'jobs/job_1/3/parts/0-1/0.mp3', 0n],
        [1, 'talk.final-1.mp3', 'jobs/job_1/3/parts/0-1/1.mp3', 10_000n],
        [2, 'talk.final-2.mp3', 'jobs/job_1/3/parts/1-1/2.mp3', 20_000n],
        [3, 'talk.final-3.mp3', 'jobs/job_1/3/parts/1-1/3.mp3', 30_000n],
      ],
    );
    for (const { objectKey } of segments) await fixture.store.head(objectKey);
    assert.deepEqual(fixture.said.completed, []);
    await until(() => fixture.worker.running().length === 0);
    assert.deepEqual(await fixture.scratchLeft(), []);
  });

  test('does not divide without instructions, or a job that has proved not to be divisible', async () => {
    const engine = engineThatDivides();
    for (const options of [{}, { division: DIVISION, staysWhole: true }]) {
      await using fixture = await startWorkerFixture({ engine, ...options });
      await fixture.offer('job_1');
      await until(() => fixture.said.completed.length === 1);
      assert.deepEqual(fixture.said.divided, []);
    }
  });

  test('stores no pieces of a source that was processed as a whole after all', async () => {
    const engine: Engine = async (options) => {
      const { scratchDir, onSegment } = options;
      const piece = await segmentFile(scratchDir, 0, 0, 5);
      await onSegment({ ...piece, isPiece: true });
      return engineThatDivides()({ ...options, division: undefined as never });
    };
    await using fixture = await startWorkerFixture({ engine, division: DIVISION });
    await fixture.offer('job_1');
    await until(() => fixture.said.completed.length === 1);
    await until(() => fixture.worker.running().length === 0);
    const keys: string[] = [];
    for await (const { key } of fixture.store.list('jobs/job_1/')) keys.push(key);
    assert.deepEqual(keys, ['jobs/job_1/3/0.mp3']);
  });
});

describe('a worker that is offered a part', () => {
  const dividedFixture = async (engine: Engine, jobs = {}) => {
    const fixture = await startWorkerFixture({
      engine: (options) => current(options),
      division: DIVISION,
      jobs,
    });
    let current: Engine = engineThatDivides();
    await fixture.offer('job_1');
    await until(() => fixture.said.completedParts.length === 2 && fixture.worker.running().length === 0);
    current = engine;
    return fixture;
  };

  test('processes that part, and takes no further part of the job', async () => {
    await using fixture = await dividedFixture(engineThatDivides());
    await fixture.offer('job_1', 1);
    await until(() => fixture.said.completedParts.length === 3);
    await until(() => fixture.worker.running().length === 0);
    assert.deepEqual(
      fixture.said.completedParts.map(({ part }) => part),
      [0, 1, 1],
    );
  });

  test('hands the whole job back if a piece does not decode to the expected audio', async () => {
    await using fixture = await dividedFixture(async () => {
      throw new CorruptPieceError('a piece of 5 samples is decoded to 4');
    });
    await fixture.offer('job_1', 0);
    await until(() => fixture.said.released.length === 1);
    const [word] = fixture.said.released;
    assert.deepEqual([word?.part, word?.fence, word?.asWhole], [0, 1n, true]);
  });

  test('reports a failure under the part’s fence', async () => {
    await using fixture = await dividedFixture(async () => {
      throw new Error('the engine broke');
    });
    await fixture.offer('job_1', 1);
    await until(() => fixture.said.failed.length === 1);
    const [word] = fixture.said.failed;
    assert.deepEqual([word?.part, word?.fence, word?.retryable], [1, 1n, true]);
  });

  test('publishes no gap: a part whose segments differ from the plan fails', async () => {
    await using fixture = await dividedFixture(async ({ part, scratchDir, onSegment }) => {
      await onSegment(await segmentFile(scratchDir, part?.firstSegment ?? 0, 5, SEGMENT_SAMPLES));
      return resultOf(1, SEGMENT_SAMPLES);
    });
    await fixture.offer('job_1', 0);
    await until(() => fixture.said.failed.length === 1);
    assert.equal(fixture.said.completedParts.length, 2);
  });

  test('stops on a cancel long before its renewal is due', async () => {
    let stoppedBy: unknown;
    let isCanceled = false;
    const started = Promise.withResolvers<void>();
    const jobs = {
      checkLeases: ({ leases }: { leases: { jobId: string; part?: number; fence: bigint }[] }) => ({
        over: isCanceled ? leases : [],
      }),
      renewLease({ part }: { part?: number }) {
        assert.equal(part, 0);
        throw new ServiceError(Reason.LEASE_LOST, 'The lease is over.', { endedByOwner: true });
      },
    };
    await using fixture = await dividedFixture(async ({ signal }) => {
      started.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          stoppedBy = signal.reason;
          reject(signal.reason);
        }),
      );
    }, jobs);
    await fixture.offer('job_1', 0);
    await started.promise;
    isCanceled = true;
    await until(() => fixture.worker.running().length === 0);
    assert.equal((stoppedBy as Error).name, 'EndedByOwnerError');
    assert.deepEqual(fixture.said.failed, []);
  });
});
