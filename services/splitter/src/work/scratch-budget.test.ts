import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MediaError } from '@audiosplit/engine/media-error';
import {
  createScratchBudget,
  type Reservation,
  type ScratchBudget,
  ScratchBusyError,
} from './scratch-budget.ts';

const { signal: NEVER } = new AbortController();

/** Records the names of requests in the order in which they get their space. */
function createRequests(budget: ScratchBudget) {
  const granted: string[] = [];
  return {
    granted,
    async reserve(name: string, accountId: string, bytes: number, signal = NEVER): Promise<Reservation> {
      const reservation = await budget.reserve({ accountId, bytes }, signal);
      granted.push(name);
      return reservation;
    },
  };
}

function isTooLarge(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof MediaError && error.failure === 'OUTPUT_TOO_LARGE' && message.test(error.message);
}

describe('scratch budget', () => {
  // Covers B-1.2
  test('a request that does not fit waits: accounts take turns, and each keeps its own order', async () => {
    const budget = createScratchBudget({ limitBytes: 20 });
    const { granted, reserve } = createRequests(budget);
    const first = await reserve('first', 'greedy', 10);
    const waiting = [
      reserve('greedy 1', 'greedy', 10),
      reserve('greedy 2', 'greedy', 10),
      reserve('modest 1', 'modest', 10),
      reserve('greedy 3', 'greedy', 10),
    ];
    // Each releases its space for the next one.
    for (const request of waiting) void request.then((reservation) => reservation[Symbol.dispose]());
    await setImmediate();
    assert.deepEqual([budget.waiting(), budget.reservedBytes()], [4, 10]);
    first[Symbol.dispose]();
    await Promise.all(waiting);
    assert.deepEqual(granted, ['first', 'greedy 1', 'modest 1', 'greedy 2', 'greedy 3']);
    assert.deepEqual([budget.waiting(), budget.reservedBytes()], [0, 0]);
  });

  test('sources leave half of the space to processing, so that jobs with a source never wait for each other', async () => {
    const budget = createScratchBudget({ limitBytes: 20 });
    const { granted, reserve } = createRequests(budget);
    const [one, two] = [await reserve('one', 'a', 5), await reserve('two', 'b', 5)];
    const third = reserve('third', 'c', 1);
    await one.grow(10, NEVER);
    const growing = two.grow(10, NEVER).then(() => granted.push('two grows'));
    await setImmediate();
    assert.deepEqual(granted, ['one', 'two']);
    one[Symbol.dispose]();
    await growing;
    two[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    assert.equal(budget.reservedBytes(), 0);
  });

  test('a source of more than half of the space is admitted alone', async () => {
    const budget = createScratchBudget({ limitBytes: 20 });
    const { granted, reserve } = createRequests(budget);
    const small = await reserve('small', 'a', 1);
    const large = reserve('large', 'b', 15);
    await setImmediate();
    assert.deepEqual(granted, ['small']);
    small[Symbol.dispose]();
    using _ = await large;
    assert.equal(budget.reservedBytes(), 15);
  });

  test('an account whose sources use space leaves the same amount to sources of others', async () => {
    const budget = createScratchBudget({ limitBytes: 200 });
    const { granted, reserve } = createRequests(budget);
    const greedy = Array.from({ length: 10 }, (_, n) => reserve(`greedy ${n}`, 'greedy', 10));
    await setImmediate();
    assert.equal(granted.length, 5);
    const other = await reserve('other', 'other', 40);
    assert.equal(budget.reservedBytes(), 90);
    other[Symbol.dispose]();
    for (const request of greedy) void request.then((reservation) => reservation[Symbol.dispose]());
    await Promise.all(greedy);
    assert.deepEqual([budget.waiting(), budget.reservedBytes()], [0, 0]);
  });

  test('a request above the share of its account delays no other account', async () => {
    const budget = createScratchBudget({ limitBytes: 200 });
    const { granted, reserve } = createRequests(budget);
    using _first = await reserve('first', 'greedy', 50);
    const second = reserve('second', 'greedy', 50);
    using _other = await reserve('other', 'other', 20);
    assert.deepEqual(granted, ['first', 'other']);
    void second.catch(() => undefined);
  });

  test('what a source lends is free for others, and is taken back when it is free again', async () => {
    const budget = createScratchBudget({ limitBytes: 20, maxGrowWaitMs: 20 });
    const { reserve } = createRequests(budget);
    const slow = await reserve('slow', 'a', 10);
    slow.lend(2);
    const other = await reserve('other', 'b', 8);
    await assert.rejects(slow.cover(4, NEVER), ScratchBusyError);
    const covered = slow.cover(12, NEVER);
    other[Symbol.dispose]();
    await covered;
    assert.equal(budget.reservedBytes(), 10, 'no more than it had');
    slow[Symbol.dispose]();
    assert.deepEqual([budget.waiting(), budget.reservedBytes()], [0, 0]);
  });

  test('a source of more than half of the space takes back what it has lent while it is alone', async () => {
    const budget = createScratchBudget({ limitBytes: 20, maxGrowWaitMs: 20 });
    const { reserve } = createRequests(budget);
    using large = await reserve('large', 'a', 15);
    large.lend(5);
    await large.cover(12, NEVER);
    large.lend(5);
    using _other = await reserve('other', 'b', 5);
    await assert.rejects(large.cover(12, NEVER), ScratchBusyError);
  });

  // Covers B-1.8
  test('a request that can never fit is rejected with the planned and the available size', async () => {
    const budget = createScratchBudget({ limitBytes: 20 });
    const { reserve } = createRequests(budget);
    await assert.rejects(reserve('huge', 'a', 21), isTooLarge(/hold 21 bytes .* room for 20\./));
    using small = await reserve('small', 'a', 2);
    await assert.rejects(small.grow(11, NEVER), isTooLarge(/hold 11 bytes .* room for 10\./));
    assert.equal(budget.reservedBytes(), 2);
  });

  test('a request that is given up is skipped', async () => {
    const budget = createScratchBudget({ limitBytes: 20 });
    const { reserve } = createRequests(budget);
    const first = await reserve('first', 'a', 6);
    const given = new AbortController();
    const large = reserve('large', 'b', 10, given.signal);
    const small = reserve('small', 'c', 4);
    given.abort(new Error('canceled'));
    await assert.rejects(large, /canceled/);
    (await small)[Symbol.dispose]();
    first[Symbol.dispose]();
    assert.equal(budget.waiting(), 0);
  });

  test('a job that needs more than planned is handed back if others use the space', async () => {
    const budget = createScratchBudget({ limitBytes: 20, maxGrowWaitMs: 5 });
    const { reserve } = createRequests(budget);
    using one = await reserve('one', 'a', 0);
    using two = await reserve('two', 'b', 0);
    await one.grow(10, NEVER);
    await two.grow(8, NEVER);
    using three = await reserve('three', 'c', 0);
    await three.grow(1, NEVER);
    await assert.rejects(three.grow(3, NEVER), ScratchBusyError);
  });

  test('a waiting request gets nothing once its reservation is released', async () => {
    const budget = createScratchBudget({ limitBytes: 20 });
    const { reserve } = createRequests(budget);
    const one = await reserve('one', 'a', 0);
    await one.grow(10, NEVER);
    const two = await reserve('two', 'b', 10);
    const growing = two.grow(5, NEVER);
    two[Symbol.dispose]();
    await assert.rejects(growing, /given back/);
    one[Symbol.dispose]();
    assert.deepEqual([budget.waiting(), budget.reservedBytes()], [0, 0]);
  });

  test('a source that turns out smaller releases the rest', async () => {
    const budget = createScratchBudget({ limitBytes: 20 });
    const { reserve } = createRequests(budget);
    using first = await reserve('first', 'a', 10);
    const second = reserve('second', 'b', 6);
    first.shrink(4);
    using _ = await second;
    assert.equal(budget.reservedBytes(), 10);
  });
});
