/**
 * Fetching and converting are separate: which of a worker's jobs have a slot, and which only wait for their
 * sources.
 */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import type { SplitOptions } from '@audiosplit/engine/media';
import { createScratchBudget } from './scratch-budget.ts';
import { claimByAccount, engineThatCuts, startWorkerFixture } from './worker.fixture.ts';

const MIB = 1024 * 1024;

/** Sources whose bytes the test sends, by the account of their job. */
function createSources() {
  const feeds = new Map<string, { send(bytes: number): void; end(): void }>();
  const opened: string[] = [];
  return {
    opened,
    feed: (accountId: string) => feeds.get(accountId),
    async open(accountId: string, signal: AbortSignal) {
      opened.push(accountId);
      let wake = () => {};
      const queue: (number | 'end')[] = [];
      const push = (item: number | 'end') => {
        queue.push(item);
        wake();
      };
      feeds.set(accountId, { send: push, end: () => push('end') });
      signal.addEventListener('abort', () => wake(), { once: true });
      async function* body() {
        for (;;) {
          signal.throwIfAborted();
          const item = queue.shift();
          if (item === 'end') return;
          if (item !== undefined) yield Buffer.alloc(item);
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      }
      return { fileName: 'a.mp3', body: body(), bytesRead: () => 0, async [Symbol.asyncDispose]() {} };
    },
  };
}

/** Reads its source, and reports when it waits for more, as the engine's thread does. */
const readingEngine =
  (read: { bytes: number }) =>
  async (options: SplitOptions): ReturnType<ReturnType<typeof engineThatCuts>> => {
    if ('path' in options.source) {
      const { size } = await stat(options.source.path);
      assert.equal(size, options.source.sizeBytes);
      read.bytes += size;
      return engineThatCuts(10)(options);
    }
    const chunks = options.source[Symbol.asyncIterator]();
    for (;;) {
      options.onHunger?.(true);
      const { done, value } = await chunks.next();
      options.onHunger?.(false);
      if (done === true) return engineThatCuts(10)(options);
      read.bytes += value.byteLength;
    }
  };

async function setUp({ concurrency = 1, fetches = 64, started = Promise.resolve() } = {}) {
  const sources = createSources();
  const read = { bytes: 0 };
  const fixture = await startWorkerFixture({
    concurrency,
    fetches,
    async engine(options) {
      await started;
      return await readingEngine(read)(options);
    },
    openSource: async (_url, { accountId, enterFetches, signal }) => {
      const place = await enterFetches(signal, false);
      const source = await sources.open(accountId, signal);
      return {
        ...source,
        async [Symbol.asyncDispose]() {
          place[Symbol.dispose]();
        },
      };
    },
    jobs: { claimJob: claimByAccount },
  });
  const { cores, fetches: places } = fixture.worker.shares;
  return { ...fixture, sources, read, cores, places };
}

// Covers B-1.1 B-2.1
test('jobs that wait for their sources are claimed beside others, and take no slot', async () => {
  await using fixture = await setUp();
  for (const account of ['a', 'b', 'c']) await fixture.offer(`job_${account}_1`);
  await until(() => fixture.sources.opened.length === 3);
  fixture.sources.feed('a')?.send(MIB - 1);
  await until(() => fixture.worker.running().length === 3);
  assert.deepEqual([fixture.cores.busy(), fixture.cores.waiting(), fixture.places.taken()], [0, 0, 3]);
  for (const account of ['a', 'b', 'c']) fixture.sources.feed(account)?.end();
  await until(() => fixture.said.completed.length === 3);
});

// Covers B-2.2
test('a slot is taken after 1 MiB or the end, released after 250 ms without bytes, and taken again after 1 MiB more', async () => {
  await using fixture = await setUp();
  await fixture.offer('job_a_1');
  await until(() => fixture.sources.opened.length === 1);
  const feed = fixture.sources.feed('a');
  feed?.send(MIB);
  await until(() => fixture.cores.busy() === 1);
  await until(() => fixture.read.bytes === MIB);
  await until(() => fixture.cores.busy() === 0, 'the slot is given up');
  feed?.send(MIB - 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([fixture.cores.busy(), fixture.read.bytes], [0, MIB]);
  feed?.send(1);
  await until(() => fixture.read.bytes === 2 * MIB, 'the engine goes on');
  await until(() => fixture.cores.busy() === 0);
  feed?.send(5);
  feed?.end();
  await until(() => fixture.said.completed.length === 1);
  assert.equal(fixture.read.bytes, 2 * MIB + 5);
  await until(async () => (await fixture.scratchLeft()).length === 0);
});

// Covers B-2.4
test('bytes that are fetched while the slots are taken stay in scratch, at most 2 MiB', async () => {
  const start = Promise.withResolvers<void>();
  await using fixture = await setUp({ started: start.promise });
  await fixture.offer('job_a_1');
  await until(() => fixture.sources.opened.length === 1);
  await fixture.offer('job_b_1');
  await until(() => fixture.sources.opened.length === 2);
  // It is complete before it has a slot, so another source may be streamed. Its engine does not read, and keeps the slot.
  fixture.sources.feed('a')?.send(MIB - 1);
  fixture.sources.feed('a')?.end();
  await until(() => fixture.cores.busy() === 1);
  for (let sent = 0; sent < 41; sent++) fixture.sources.feed('b')?.send(MIB / 8);
  await until(() => fixture.cores.waiting() === 1);
  await until(async () => (await fixture.scratchLeft()).some((name) => name.endsWith('.ahead')));
  assert.equal(fixture.read.bytes, 0);
  start.resolve();
  fixture.sources.feed('b')?.end();
  await until(() => fixture.said.completed.length === 2);
  assert.ok(fixture.read.bytes >= 6 * MIB);
  await until(async () => (await fixture.scratchLeft()).length === 0);
});

test('a source that trickles after its first megabyte delays no other source, whatever its size', async () => {
  await using fixture = await setUp();
  for (const account of ['a', 'b']) {
    await fixture.offer(`job_${account}_1`);
    await until(() => fixture.sources.feed(account) !== undefined);
    fixture.sources.feed(account)?.send(MIB);
  }
  await until(() => fixture.read.bytes === MIB && fixture.cores.busy() === 0, 'the first engine starves');
  await fixture.offer('job_c_1');
  await until(() => fixture.sources.feed('c') !== undefined);
  for (let sent = 0; sent < 5; sent++) fixture.sources.feed('c')?.send(MIB);
  fixture.sources.feed('c')?.end();
  await until(() => fixture.said.completed.length === 1, 'the third job is completed');
  assert.equal(fixture.read.bytes, 6 * MIB);
  for (const account of ['a', 'b']) fixture.sources.feed(account)?.end();
  await until(() => fixture.said.completed.length === 3);
  await until(async () => (await fixture.scratchLeft()).length === 0);
});

test('an engine that waits for a part of its source or for scratch releases the slot', async () => {
  const part = Promise.withResolvers<void>();
  const scratchBudget = createScratchBudget({ limitBytes: 1_000 });
  const other = await scratchBudget.reserve({ accountId: 'other', bytes: 0 }, new AbortController().signal);
  await other.grow(500, new AbortController().signal);
  const heldAfter: boolean[] = [];
  await using fixture = await startWorkerFixture({
    concurrency: 1,
    scratchBudget,
    openSource: async () => ({
      fileName: 'a.mp3',
      body: (async function* () {
        yield Buffer.from('audio');
      })(),
      ranges: {
        sizeBytes: 5,
        async writeTo(_path, span) {
          await part.promise;
          return span;
        },
      },
      bytesRead: () => 5,
      async [Symbol.asyncDispose]() {},
    }),
    async engine(options) {
      const { cores } = fixture.worker.shares;
      await options.sourceRanges?.writeTo('source', { start: 0, end: 5 }, options.signal);
      heldAfter.push(cores.busy() === 1);
      await options.scratchRoom?.reserve(500);
      heldAfter.push(cores.busy() === 1);
      return await engineThatCuts(10)(options);
    },
  });
  const { cores } = fixture.worker.shares;
  await fixture.offer('job_1');
  await until(() => cores.busy() === 1);
  await until(() => cores.busy() === 0, 'it waits for the part');
  part.resolve();
  await until(() => heldAfter.length === 1);
  await until(() => cores.busy() === 0, 'it waits for scratch');
  other[Symbol.dispose]();
  await until(() => fixture.said.completed.length === 1);
  assert.deepEqual(heldAfter, [true, true]);
});

test('a worker claims no job beyond its cores until its current ones are known to wait', async () => {
  await using fixture = await setUp();
  await fixture.offer('job_a_1');
  assert.equal(fixture.bus.paused, true);
  await until(() => !fixture.bus.paused, 'its source keeps it waiting');
  assert.deepEqual([fixture.cores.room(), fixture.worker.running().length], [1, 1]);
  fixture.sources.feed('a')?.end();
  await until(() => fixture.said.completed.length === 1);
});

// Covers B-2.6
test('an account below its share gets the newest fetch of the account that has most', async () => {
  await using fixture = await setUp({ concurrency: 4, fetches: 2 });
  for (const job of ['job_a_1', 'job_a_2']) await fixture.offer(job);
  // Both slots are taken: if one were free, no fetch would have to yield.
  await until(() => fixture.sources.opened.length === 2);
  await fixture.offer('job_b_1');
  await until(() => fixture.sources.opened.length === 3);
  assert.deepEqual(fixture.sources.opened, ['a', 'a', 'b']);
  assert.equal(fixture.places.taken(), 2);
});

test('every wait of a job ends with the worker, and the job is handed back', async () => {
  const fixture = await setUp({ concurrency: 1, fetches: 1 });
  // One is being fetched, one waits for its slot.
  for (const job of ['job_a_1', 'job_a_2']) await fixture.offer(job);
  await until(() => fixture.places.waiting() === 1);
  await fixture[Symbol.asyncDispose]();
  assert.deepEqual(fixture.said.released.map(({ jobId }) => jobId).sort(), ['job_a_1', 'job_a_2']);
  assert.deepEqual([fixture.places.taken(), fixture.places.waiting(), fixture.cores.busy()], [0, 0, 0]);
});
