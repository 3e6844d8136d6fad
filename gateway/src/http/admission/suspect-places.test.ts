import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { createSuspectPlaces, type SuspectTurn } from './suspect-places.ts';

const MAX_WAITING = 200;

async function enter(places: ReturnType<typeof createSuspectPlaces>, address: string): Promise<SuspectTurn> {
  const turn = await places.enter(address);
  assert.ok(turn !== undefined);
  return turn;
}

test('an address has one turn at a time, and a place stays taken for a moment after its use', async () => {
  const places = createSuspectPlaces(1);
  const first = await enter(places, 'a');
  const second = places.enter('a');
  assert.equal(await first.takePlace(), true);
  first[Symbol.dispose]();
  const next = await second;
  assert.equal(places.taken, 1);
  assert.equal(await next?.takePlace(), true);
  next?.[Symbol.dispose]();
  await until(() => places.taken === 0, 'the place is free');
});

test('a turn without a place ends at once', async () => {
  const places = createSuspectPlaces(1);
  (await enter(places, 'a'))[Symbol.dispose]();
  assert.equal(places.taken, 0);
  (await enter(places, 'a'))[Symbol.dispose]();
});

test('when too many wait, the address with the most loses its newest, and gets no further one', async () => {
  const places = createSuspectPlaces(1);
  using greedy = await enter(places, 'greedy');
  using modest = await enter(places, 'modest');
  assert.equal(await greedy.takePlace(), true);
  const waits = Array.from({ length: MAX_WAITING }, () => places.enter('greedy'));
  assert.equal(await places.enter('greedy'), undefined);
  const place = modest.takePlace();
  assert.equal(await waits.at(-1), undefined);
  greedy[Symbol.dispose]();
  assert.equal(await place, true);
  for (const wait of waits.slice(0, -1)) (await wait)?.[Symbol.dispose]();
});
