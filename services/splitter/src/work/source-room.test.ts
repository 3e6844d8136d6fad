import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScratchBudget } from './scratch-budget.ts';
import { createSourceRoom } from './source-room.ts';

const { signal } = new AbortController();
const STEP = { stepBytes: 10, checkEveryMs: 1_000, nowMs: () => Date.now() };

test('a source that trickles keeps no more space than its bytes and a step need', async ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const budget = createScratchBudget({ limitBytes: 400 });
  using reservation = await budget.reserve({ accountId: 'slow', bytes: 200 }, signal);
  using room = createSourceRoom({ reservation, copies: 2, signal, ...STEP });
  room.waits();
  const other = budget.reserve({ accountId: 'other', bytes: 100 }, signal);
  await room.arrived(5);
  room.waits();
  mock.timers.tick(STEP.checkEveryMs);
  (await other)[Symbol.dispose]();
  assert.equal(budget.reservedBytes(), 2 * (5 + 10));
  await room.arrived(12);
  room.waits();
  mock.timers.tick(STEP.checkEveryMs);
  await room.arrived(16);
  assert.equal(budget.reservedBytes(), 2 * (16 + 10));
  room.complete(17);
  assert.equal(budget.reservedBytes(), 2 * 17);
});

test('a source that arrives at a usual pace keeps all of its space', async ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const budget = createScratchBudget({ limitBytes: 400 });
  using reservation = await budget.reserve({ accountId: 'fast', bytes: 200 }, signal);
  using room = createSourceRoom({ reservation, copies: 1, signal, ...STEP });
  for (let bytes = 10; bytes <= 100; bytes += 10) {
    room.waits();
    mock.timers.tick(STEP.checkEveryMs / 2);
    await room.arrived(bytes);
    mock.timers.tick(STEP.checkEveryMs / 2);
    assert.equal(budget.reservedBytes(), 200);
  }
});

test('a source whose reader is slow keeps all of its space', async ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const budget = createScratchBudget({ limitBytes: 400 });
  using reservation = await budget.reserve({ accountId: 'fast', bytes: 200 }, signal);
  using room = createSourceRoom({ reservation, copies: 1, signal, ...STEP });
  room.waits();
  await room.arrived(1);
  mock.timers.tick(5 * STEP.checkEveryMs);
  assert.equal(budget.reservedBytes(), 200);
});

test('parts of a source are covered as they are read, also those of a source that has lent its space', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const budget = createScratchBudget({ limitBytes: 400 });
  using reservation = await budget.reserve({ accountId: 'slow', bytes: 200 }, signal);
  using room = createSourceRoom({ reservation, copies: 1, signal, ...STEP });
  room.waits();
  mock.timers.tick(STEP.checkEveryMs);
  assert.equal(budget.reservedBytes(), 10);
  assert.equal(await room.readPart(50, async () => 'read'), 'read');
  assert.equal(budget.reservedBytes(), 60);
  await room.readPart(500, async () => mock.timers.tick(STEP.checkEveryMs));
  assert.equal(budget.reservedBytes(), 200, 'no more than it had');
});
