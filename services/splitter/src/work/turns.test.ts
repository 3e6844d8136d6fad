/** Long jobs and the jobs of other accounts take turns at a worker's cores. */
import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import type { SplitOptions } from '@audiosplit/engine/media';
import { createAccountPlaces } from './shares/account-places.ts';
import { createAheadBuffer } from './shares/ahead-buffer.ts';
import { createCoreTurns, STARVED_MS } from './shares/core-turns.ts';
import { createFedSource, ENOUGH_BYTES } from './shares/fed-source.ts';
import {
  claimByAccount,
  type Engine,
  engineThatCuts,
  engineThatNeverEnds,
  resultOf,
  segmentFile,
  startWorkerFixture,
} from './worker.fixture.ts';

const SEGMENT_MS = 10;

/** A worker with one core, on which job_long_1 runs. */
async function startBusyWorker(longEngine: Engine, otherEngine = engineThatCuts(10)) {
  const asked: number[] = [];
  let offered: readonly string[] = [];
  let isFirst = true;
  const fixture = await startWorkerFixture({
    concurrency: 1,
    engine(options: SplitOptions) {
      const engine = isFirst ? longEngine : otherEngine;
      isFirst = false;
      return engine(options);
    },
    jobs: {
      claimJob(request) {
        offered = offered.filter((jobId) => jobId !== request.jobId);
        return claimByAccount(request);
      },
      findFirstOffers({ limit }) {
        asked.push(limit);
        return { offers: offered.map((jobId) => ({ jobId })) };
      },
    },
  });
  await fixture.offer('job_long_1');
  const completed = () => fixture.said.completed.map(({ jobId }) => jobId);
  return {
    ...fixture,
    asked,
    completed,
    offerFirst(...jobIds: readonly string[]) {
      offered = jobIds;
    },
  };
}

/** Stores a segment every 10 ms until it is ended. */
function endlessEngine() {
  const over = new AbortController();
  const engine: Engine = async ({ scratchDir, onSegment }) => {
    let count = 0;
    while (!over.signal.aborted) {
      await onSegment(await segmentFile(scratchDir, count, count * 10, 10));
      count += 1;
      await sleep(SEGMENT_MS);
    }
    return resultOf(count, count * 10);
  };
  return { engine, end: () => over.abort() };
}

test('an engine that starves after its job has passed its slot on gives it up again', async () => {
  const cores = createCoreTurns({ slots: 1, maxJobs: 4, onRoom() {}, onPassOn() {} });
  const { signal } = new AbortController();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-turns-'));
  await using buffer = createAheadBuffer(join(folder.path, 'ahead'));
  using turn = await cores.admit(signal);
  const stalled = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.alloc(ENOUGH_BYTES);
    await stalled.promise;
  }
  const streaming = createAccountPlaces({ limit: 1 });
  using fed = createFedSource({
    body: body(),
    accountId: 'long',
    turn,
    streaming,
    buffer,
    prepare: async () => undefined,
    signal,
  });
  await fed.ready(false);
  const chunks = fed.chunks[Symbol.asyncIterator]();
  for (let bytes = 0; bytes < ENOUGH_BYTES; ) bytes += (await chunks.next()).value?.byteLength ?? 0;
  await until(() => cores.roomBeside() === 1);
  const other = cores.admitBeside();
  await other.acquire('other', signal);
  const next = chunks.next();
  fed.onHunger(true);
  const pausing = turn.pause(signal);
  assert.equal(turn.isHeld(), false);
  await sleep(1.5 * STARVED_MS);
  other[Symbol.dispose]();
  await pausing;
  assert.equal(turn.isHeld(), true);
  await until(() => cores.busy() === 0, 'it starves');
  stalled.resolve();
  await next;
});

describe('while a long job has the core', () => {
  test('the first job of another account gets it between two segments, and the long job continues', async () => {
    const long = endlessEngine();
    await using fixture = await startBusyWorker(long.engine);
    fixture.offerFirst('job_short_1');
    await until(() => fixture.completed().length === 1, 'the short job has its turn');
    assert.deepEqual(fixture.completed(), ['job_short_1']);
    fixture.offerFirst('job_short_2');
    await until(() => fixture.completed().length === 2);
    long.end();
    await until(() => fixture.completed().length === 3);
    assert.equal(fixture.completed()[2], 'job_long_1');
    const { cores } = fixture.worker.shares;
    assert.deepEqual([cores.busy(), cores.waiting(), cores.room()], [0, 0, 1]);
  });

  test('at most two jobs are claimed beside it for each core, one after the other', async () => {
    const long = endlessEngine();
    await using fixture = await startBusyWorker(long.engine);
    const { cores } = fixture.worker.shares;
    const { signal } = new AbortController();
    await until(() => cores.roomBeside() === 1);
    using second = cores.admitBeside();
    assert.equal(cores.roomBeside(), 0);
    await second.acquire('second', signal);
    await until(() => cores.roomBeside() === 1, 'the long job has given way');
    using third = cores.admitBeside();
    await third.acquire('third', signal);
    assert.deepEqual([cores.busy(), cores.roomBeside()], [2, 0]);
    const pausing = assert.rejects(second.pause(signal), /the job has ended/);
    assert.equal(cores.busy(), 1);
    await sleep(100);
    assert.equal(cores.roomBeside(), 0);
    second[Symbol.dispose]();
    await pausing;
    long.end();
  });

  test('one that never pauses keeps it, and one job of another account at a time runs beside', async () => {
    await using fixture = await startBusyWorker(engineThatNeverEnds(), engineThatNeverEnds());
    fixture.offerFirst('job_second_1', 'job_third_1');
    const { cores } = fixture.worker.shares;
    await until(() => cores.busy() === 2);
    await sleep(200);
    assert.deepEqual(fixture.worker.running(), ['job_long_1', 'job_second_1']);
    assert.deepEqual([cores.busy(), cores.roomBeside()], [2, 0]);
  });

  test('a job that waits for its turn is handed back when the worker stops', async () => {
    const long = endlessEngine();
    const fixture = await startBusyWorker(long.engine);
    fixture.offerFirst('job_short_1');
    await until(() => fixture.completed().length === 1);
    await fixture[Symbol.asyncDispose]();
    assert.deepEqual(
      fixture.said.released.map(({ jobId }) => jobId),
      ['job_long_1'],
    );
    assert.deepEqual([fixture.worker.shares.cores.busy(), fixture.worker.shares.cores.waiting()], [0, 0]);
  });
});
