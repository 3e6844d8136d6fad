/** The process survives every fault in the thread: each fault fails its own split, and the next one works. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { createAudioSamples, sound } from '@audiosplit/engine/testing/audio-samples';
import { findProcesses } from '@audiosplit/engine/testing/child-processes';
import { EngineThreadError, type ThreadEnd } from './engine-thread-error.ts';
import { startEngineThreads } from './engine-threads.ts';
import type { Fault, Keeper } from './testing/faulty-engine.fixture.ts';
import { inChunks, splitInScratch } from './testing/scratch-split.ts';
import { THREAD_LIMITS, type ThreadLimits } from './thread-limits.ts';

const entry = new URL('testing/faulty-engine.fixture.ts', import.meta.url);
const log = silentLogger();
const hasFifos = process.platform !== 'win32';
const limits = {
  ...THREAD_LIMITS,
  maxOldGenerationSizeMb: 64,
  maxBufferMb: 64,
  hungAfterMs: 3_000,
  abortGraceMs: 200,
  exitGraceMs: 200,
};
const samples = forSuite(createAudioSamples);
const threads = forSuite(() => startEngineThreads({ log, entry, limits }));
const sources = forSuite(
  async () => ({
    mp3: await readFile(await samples.make('noise.mp3', sound(44_100, 3, 'mono'), '-b:a', '64k')),
  }),
  samples,
);

function goWrong(fault: Fault, signal?: AbortSignal) {
  const source = inChunks(sources.mp3);
  return splitInScratch(threads.split, { source, ffmpegPath: fault, ...(signal && { signal }) });
}

async function assertNextSplitWorks(): Promise<void> {
  const { ffmpegPath } = samples;
  await using run = await splitInScratch(threads.split, { source: inChunks(sources.mp3), ffmpegPath });
  assert.equal((await run.outcome).segmentCount, 2);
}

const DEATHS: readonly (readonly [fault: Fault, end: ThreadEnd, message: RegExp])[] = [
  ['spin', 'hung', /stood still for 3000 ms; progress .* 1 segments handed out, 0 children/],
  ['fill-heap', 'out-of-memory', /heap/],
  ['fill-buffers', 'out-of-memory', /array buffers, more than 64/],
  ['exit', 'crashed', /exit code 3/],
  ['throw-in-timer', 'crashed', /not caught/],
  ['reject-unhandled', 'crashed', /not caught/],
];

for (const [fault, end, message] of DEATHS) {
  test(`a thread that ends by ${fault} fails its split as ${end}`, async () => {
    await using run = await goWrong(fault);
    await assert.rejects(run.outcome, (error) => {
      assert.ok(error instanceof EngineThreadError);
      assert.equal(error.end, end);
      assert.match(error.message, message);
      return true;
    });
    assert.equal(run.segments.length, 1);
    assert.deepEqual(await run.leftovers(), [], 'only what was handed out is left');
    await assertNextSplitWorks();
  });
}

test('the uncaught error is the cause of the failure', async () => {
  await using run = await goWrong('throw-in-timer');
  const error: unknown = await run.outcome.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof EngineThreadError && error.cause instanceof Error);
  assert.equal(error.cause.message, 'thrown in a timer');
  assert.match(error.cause.stack ?? '', /faulty-engine/);
});

test('an unexpected error keeps its own stack', async () => {
  await using run = await goWrong('throw-unforeseen');
  await assert.rejects(run.outcome, (error) => {
    assert.ok(error instanceof Error);
    assert.equal(error.name, 'TypeError');
    assert.match(error.stack ?? '', /faulty-engine/);
    return true;
  });
  await assertNextSplitWorks();
});

test('children of a thread that was ended are killed', async () => {
  await using run = await goWrong('spin-with-child');
  await assert.rejects(run.outcome, /1 children/);
  const pidFile = run.segments[1]?.path ?? assert.fail('the child was not started');
  const pid = Number(await readFile(pidFile, 'utf8'));
  await until(async () => !(await findProcesses('sleep')).includes(pid));
  await assertNextSplitWorks();
});

test('a thread that is blocked in a system call is abandoned', { skip: !hasFifos }, async () => {
  await using run = await goWrong('wait-in-system-call');
  await assert.rejects(run.outcome, /stood still/);
  await assertNextSplitWorks();
  await writeFile(run.segments[1]?.path ?? assert.fail('the pipe was not handed out'), '');
});

test('a split that ignores its abort is ended, and reads at most 1 MB more of its source', async () => {
  const aborting = new AbortController();
  const reason = new Error('enough');
  let pulledBytes = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      pulledBytes += 256 * 1024;
      yield new Uint8Array(256 * 1024);
    }
  }
  await using run = await splitInScratch(threads.split, {
    source: endless(),
    ffmpegPath: 'ignore-abort' satisfies Fault,
    signal: aborting.signal,
    onSegment: async () => aborting.abort(reason),
  });
  await assert.rejects(run.outcome, (error) => error === reason);
  assert.equal(pulledBytes, 1024 * 1024);
  assert.deepEqual(await run.leftovers(), []);
  await assertNextSplitWorks();
});

describe('an engine thread', () => {
  /** The number of splits that the thread of each of these splits has completed. */
  async function endedByThread(keeper: Keeper, splits: number, limits: Partial<ThreadLimits> = {}) {
    await using threads = await startEngineThreads({ log, entry, limits: { ...THREAD_LIMITS, ...limits } });
    const ended: number[] = [];
    for (let split = 0; split < splits; split++) {
      await using run = await splitInScratch(threads.split, {
        source: inChunks(sources.mp3),
        ffmpegPath: keeper,
      });
      ended.push((await run.outcome).segmentCount);
    }
    return ended;
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

  test('that keeps no memory is reused, however much it has allocated and freed', async () => {
    const ended = await endedByThread('keep-nothing', 120);
    assert.deepEqual(ended, upTo(120));
  });

  for (const [keeper, limits] of [
    ['keep-heap', { maxHeapGrowthMb: 16 }],
    ['keep-buffers', { maxBufferMb: 64 }],
  ] as const) {
    test(`that grows (${keeper}) is replaced between two splits`, async () => {
      const ended = await endedByThread(keeper, 30, limits);
      const lastOfFirst = ended.indexOf(1, 1);
      assert.ok(lastOfFirst >= 3 && lastOfFirst <= 15, `${ended}`);
      assert.deepEqual(ended.slice(0, lastOfFirst), upTo(lastOfFirst));
    });
  }

  test('is replaced after a number of splits in any case', async () => {
    assert.deepEqual(await endedByThread('keep-nothing', 7, { maxSplits: 3 }), [1, 2, 3, 1, 2, 3, 1]);
    assert.equal(THREAD_LIMITS.maxSplits, 10_000);
  });
});

describe('engine threads', () => {
  test('that are closed end their splits', async () => {
    const closing = await startEngineThreads({ log, entry });
    await using run = await splitInScratch(closing.split, {
      source: inChunks(sources.mp3),
      ffmpegPath: 'ignore-abort' satisfies Fault,
    });
    await until(() => run.segments.length === 1);
    await closing[Symbol.asyncDispose]();
    const isClosed = (error: unknown) => error instanceof EngineThreadError && error.end === 'closed';
    await assert.rejects(run.outcome, isClosed);
    await using late = await splitInScratch(closing.split, {
      source: inChunks(sources.mp3),
      ffmpegPath: samples.ffmpegPath,
    });
    await assert.rejects(late.outcome, isClosed);
  });

  test('that cannot be started report it at once', async () => {
    await assert.rejects(
      startEngineThreads({ log, entry: new URL('missing.ts', import.meta.url) }),
      (error) => error instanceof EngineThreadError && error.end === 'start',
    );
  });
});
