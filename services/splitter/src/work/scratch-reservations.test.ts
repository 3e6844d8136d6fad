/** The scratch space that an attempt reserves. The source has 5 bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import type { SplitOptions } from '@audiosplit/engine/media';
import { createScratchBudget } from './scratch-budget.ts';
import { engineThatCuts, engineThatNeverEnds, startWorkerFixture } from './worker.fixture.ts';

test('a job reserves the space for its source and its engine, and releases all of it in any outcome', async () => {
  const scratchBudget = createScratchBudget({ limitBytes: 1_000 });
  const reserved: number[] = [];
  const planned =
    (engine: (options: SplitOptions) => ReturnType<ReturnType<typeof engineThatCuts>>) =>
    async (options: SplitOptions) => {
      await options.scratchRoom?.reserve(100);
      reserved.push(scratchBudget.reservedBytes());
      return await engine(options);
    };
  {
    await using fixture = await startWorkerFixture({ scratchBudget, engine: planned(engineThatCuts(10)) });
    await fixture.offer('job_1');
    await until(() => fixture.said.completed.length === 1);
    await until(() => scratchBudget.reservedBytes() === 0);
  }
  {
    const engine = planned(() => Promise.reject(new Error('broken')));
    await using fixture = await startWorkerFixture({ scratchBudget, engine });
    await fixture.offer('job_1');
    await until(() => fixture.said.failed.length === 1);
    await until(() => scratchBudget.reservedBytes() === 0);
  }
  {
    await using fixture = await startWorkerFixture({ scratchBudget, engine: planned(engineThatNeverEnds()) });
    await fixture.offer('job_1');
    await until(() => reserved.length === 3);
    await fixture.worker[Symbol.asyncDispose]();
    assert.equal(fixture.said.released.length, 1);
    assert.equal(scratchBudget.reservedBytes(), 0);
  }
  assert.deepEqual(reserved, [105, 105, 105]);
});

// Covers B-5.6
test('a job waits until there is space for its source', async () => {
  const scratchBudget = createScratchBudget({ limitBytes: 10 });
  const release = Promise.withResolvers<void>();
  const begun: string[] = [];
  await using fixture = await startWorkerFixture({
    scratchBudget,
    concurrency: 2,
    async engine(options) {
      begun.push('split');
      await release.promise;
      return await engineThatCuts(10)(options);
    },
  });
  await fixture.offer('job_1');
  await fixture.offer('job_2');
  await until(() => scratchBudget.waiting() === 1);
  assert.equal(begun.length, 1);
  release.resolve();
  await until(() => fixture.said.completed.length === 2);
});

// Covers B-5.7
test('OUTPUT_TOO_LARGE, not retryable, if the plan of a job can never fit', async () => {
  await using fixture = await startWorkerFixture({
    scratchBudget: createScratchBudget({ limitBytes: 100 }),
    async engine(options) {
      await options.scratchRoom?.reserve(51);
      return await engineThatCuts(10)(options);
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.failed.length === 1);
  const [failure] = fixture.said.failed;
  assert.equal(failure?.retryable, false);
  assert.equal(failure.error?.code, 'OUTPUT_TOO_LARGE');
  assert.match(failure.error.message, /would hold 51 bytes at once; a worker has room for 50\./);
});

test('a source of unknown size reserves its actual size once it is complete', async () => {
  const scratchBudget = createScratchBudget({ limitBytes: 10_000 });
  const reserved: number[] = [];
  await using fixture = await startWorkerFixture({
    scratchBudget,
    openSource: async () => ({
      fileName: 'talk.mp3',
      body: (async function* () {
        yield Buffer.from('audio');
      })(),
      bytesRead: () => 5,
      async [Symbol.asyncDispose]() {},
    }),
    async engine(options) {
      reserved.push(scratchBudget.reservedBytes());
      if ('path' in options.source) throw new TypeError('it comes in');
      for await (const _ of options.source);
      reserved.push(scratchBudget.reservedBytes());
      return await engineThatCuts(10)(options);
    },
  });
  await fixture.offer('job_1');
  await until(() => fixture.said.completed.length === 1);
  // The claim would allow 1,000 bytes.
  assert.deepEqual(reserved, [5, 5]);
});
