import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { runOrdered } from './ordered-pool.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let n = 0; n < count; n += 1) yield n;
}

function gates(count: number): readonly PromiseWithResolvers<void>[] {
  return Array.from({ length: count }, () => Promise.withResolvers<void>());
}

test('results are delivered in order, in any order of completion', async () => {
  const waiting = gates(6);
  const begun: number[] = [];
  const delivered: number[] = [];
  const run = runOrdered(numbers(6), {
    workers: 2,
    backlog: 4,
    async work(n) {
      begun.push(n);
      await waiting[n]?.promise;
      return n;
    },
    deliver: async (n) => {
      delivered.push(n);
    },
    onFailure: () => assert.fail('nothing fails'),
  });
  await until(() => begun.length === 2, 'two are worked on');
  for (const n of [1, 2, 3]) {
    waiting[n]?.resolve();
    if (n < 3) await until(() => begun.length === n + 2, 'the next one is begun');
  }
  assert.deepEqual([begun, delivered], [[0, 1, 2, 3], []]);
  for (const n of [5, 4, 0]) waiting[n]?.resolve();
  await run;
  assert.deepEqual(delivered, [0, 1, 2, 3, 4, 5]);
});

test('the first failure is reported at once, and the run ends when all work has ended', async () => {
  const failure = new Error('no space');
  for (const failing of ['work', 'deliver', 'items'] as const) {
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => undefined);
    let unfinished = 0;
    async function* items(): AsyncGenerator<number> {
      yield 0;
      yield 1;
      if (failing === 'items') throw failure;
      await stopped.promise;
    }
    const run = runOrdered(items(), {
      workers: 3,
      backlog: 3,
      async work(n) {
        unfinished += 1;
        try {
          if (n === 1) await stopped.promise;
          if (failing === 'work') throw failure;
          return n;
        } finally {
          unfinished -= 1;
        }
      },
      deliver: () => (failing === 'deliver' ? Promise.reject(failure) : Promise.resolve()),
      onFailure: (error) => stopped.reject(error),
    });
    await assert.rejects(run, failure, failing);
    assert.equal(unfinished, 0);
  }
});

test('the next item starts when the core is free, while work on the previous one continues', async () => {
  const ended = gates(4);
  const begun: number[] = [];
  const delivered: number[] = [];
  const run = runOrdered(numbers(4), {
    workers: 1,
    backlog: 4,
    async work(n, free) {
      begun.push(n);
      if (n < 2) free();
      await ended[n]?.promise;
      return n;
    },
    deliver: async (n) => {
      delivered.push(n);
    },
    onFailure: () => assert.fail('nothing fails'),
  });
  await until(() => begun.length === 3, 'two have freed their core, the third keeps it');
  assert.deepEqual([begun, delivered], [[0, 1, 2], []]);
  for (const { resolve } of ended) resolve();
  await run;
  assert.deepEqual(delivered, [0, 1, 2, 3]);
});
