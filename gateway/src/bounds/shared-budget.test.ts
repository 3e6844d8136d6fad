import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedBudget } from './shared-budget.ts';

// Covers B-1.3
test('at the limit, the owner that has most loses its newest share', () => {
  const budget = createSharedBudget({ limitBytes: 100 });
  const ended: string[] = [];
  const open = (owner: string, name: string) => budget.open(owner, () => ended.push(name));
  const shares = ['first', 'second', 'third'].map((name) => open('greedy', name));
  for (const share of shares) assert.equal(share.grow(30), true);
  const modest = open('modest', 'modest');
  assert.equal(modest.grow(30), true);
  assert.deepEqual(ended, ['third']);
  assert.deepEqual([budget.usedBytes, budget.fullestShareBytes], [90, 30]);
  assert.equal(shares[2]?.grow(1), false, 'a share that was taken away grows no more');
});

test('the owner that has most is rejected further growth, and loses nothing', () => {
  const budget = createSharedBudget({ limitBytes: 100 });
  const greedy = budget.open('greedy', () => assert.fail());
  const modest = budget.open('modest', () => assert.fail());
  assert.ok(greedy.grow(60) && modest.grow(40));
  assert.equal(greedy.grow(1), false);
  assert.equal(budget.usedBytes, 100);
});

test('a share that ends is returned once', () => {
  let freed = 0;
  const budget = createSharedBudget({ limitBytes: 100, onFreed: () => (freed += 1) });
  const share = budget.open('one', () => undefined);
  share.grow(40);
  share[Symbol.dispose]();
  share[Symbol.dispose]();
  assert.deepEqual([budget.usedBytes, freed], [0, 1]);
});
