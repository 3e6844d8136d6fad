import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccountPlaces, type Place } from './account-places.ts';

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp(limit: number, isSetAside = false) {
  let setAside = 0;
  const places = createAccountPlaces({ limit, ...(isSetAside ? { onSetAside: () => setAside++ } : {}) });
  const order: string[] = [];
  const held = new Map<string, Place>();
  return {
    places,
    order,
    held,
    setAside: () => setAside,
    /** Names consist of the account and a number. */
    async enter(name: string, isFirst = false) {
      const place = await places.enter(name.slice(0, 1), never, isFirst);
      order.push(name);
      held.set(name, place);
    },
    async leave(name: string) {
      held.get(name)?.[Symbol.dispose]();
      await turn();
    },
  };
}

// Covers B-1.2
test('each account has its own queue, and queues take turns', async () => {
  const { enter, leave, order, places } = setUp(1);
  await enter('x1');
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void enter(name);
  assert.equal(places.waiting(), 6);
  for (let served = 1; served <= 6; served++) await leave(order.at(-1) ?? '');
  assert.deepEqual(order, ['x1', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

// Covers B-2.3
test('the next slot goes to the account that has fewest', async () => {
  const { enter, leave, order } = setUp(3);
  for (const name of ['a1', 'a2', 'b1']) await enter(name);
  for (const name of ['a3', 'b2', 'c1']) void enter(name);
  await leave('a1');
  await leave('b1');
  assert.deepEqual(order.slice(3), ['c1', 'b2']);
});

test('an account below its share gets the newest slot of the account that has most', async () => {
  const { enter, held, order, setAside, places } = setUp(4, true);
  for (const name of ['a1', 'a2', 'a3', 'b1']) await enter(name);
  await enter('c1');
  assert.equal(held.get('a3')?.setAside.aborted, true);
  assert.deepEqual([setAside(), places.taken()], [1, 4]);
  // Its share is 1 of 4 among 3, and it already has it.
  void enter('c2');
  await turn();
  assert.deepEqual(order.slice(4), ['c1']);
  assert.equal(held.get('a2')?.setAside.aborted, false);
});

// Covers B-2.7
test('work that was set aside is first in its queue, and its slot is not freed twice', async () => {
  const { enter, leave, order, places } = setUp(2, true);
  for (const name of ['a1', 'a2']) await enter(name);
  void enter('a3');
  await enter('b1');
  void enter('a2 again', true);
  await leave('a2');
  assert.deepEqual([places.taken(), order.at(-1)], [2, 'b1']);
  await leave('b1');
  assert.equal(order.at(-1), 'a2 again');
});

// Covers B-2.5
test('with more accounts than slots a share is one, and an account with one slot keeps it', async () => {
  const { enter, order, setAside } = setUp(2, true);
  for (const name of ['a1', 'b1']) await enter(name);
  void enter('c1');
  await turn();
  assert.deepEqual([order, setAside()], [['a1', 'b1'], 0]);
});

test('a slot is wanted from an account while another one waits that holds fewer', async () => {
  const { enter, leave, places } = setUp(2);
  await enter('a1');
  await enter('b1');
  void enter('a2');
  assert.deepEqual([places.isWantedFrom('a'), places.isWantedFrom('b')], [false, false]);
  void enter('c1');
  assert.deepEqual([places.isWantedFrom('a'), places.isWantedFrom('b')], [true, true]);
  await leave('b1');
  assert.deepEqual([places.isWantedFrom('a'), places.isWantedFrom('c')], [false, false]);
});

test('a slot taken beside the others is not passed on', async () => {
  const { enter, leave, order, places } = setUp(1);
  await enter('a1');
  void enter('a2');
  using beside = places.enterBeside('b');
  assert.equal(places.taken(), 2);
  await leave('a1');
  assert.deepEqual([order, places.taken()], [['a1'], 1]);
  beside[Symbol.dispose]();
  await turn();
  assert.deepEqual(order, ['a1', 'a2']);
});

test('a wait that is given up leaves the queue', async () => {
  const { enter, leave, order, places } = setUp(1);
  await enter('a1');
  const stop = new AbortController();
  const givenUp = places.enter('b', stop.signal);
  void enter('c1');
  const reason = new Error('canceled');
  stop.abort(reason);
  await assert.rejects(givenUp, reason);
  await leave('a1');
  assert.deepEqual([order, places.waiting()], [['a1', 'c1'], 0]);
  await assert.rejects(places.enter('d', stop.signal), reason);
});
