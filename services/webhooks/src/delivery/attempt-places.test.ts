import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAttemptPlaces, type Place } from './attempt-places.ts';

test('two wake-ups of an account without a slot take only one attempt from the others', () => {
  const given: Place[] = [];
  const places = createAttemptPlaces({ limit: 3, perAccount: 4, onPlace: (_, place) => given.push(place) });
  const greedy = [1, 2, 3].flatMap(() => places.take('acc_greedy') ?? []);
  const cutOff = () => greedy.filter(({ signal }) => signal.aborted);

  places.lineUp('acc_modest');
  places.lineUp('acc_modest');
  assert.equal(cutOff().length, 1);
  for (const place of cutOff()) place[Symbol.dispose]();
  assert.equal(given.length, 1);

  // The second wake-up checked for due notifications, and meanwhile the first one got the place.
  places.lineUp('acc_modest');
  assert.equal(cutOff().length, 1);
  given[0]?.[Symbol.dispose]();
  assert.equal(given.length, 1, 'the account is not in line any more');
  assert.equal(places.taken(), 2);
});
