import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  breachesOf,
  CALLERS,
  type Caller,
  MAY_REACH,
  PEERS,
  type Peer,
  type Reach,
  type Reached,
  reachOf,
  renderReached,
} from './network-rules.ts';

/** All connections as promised, except those of the arguments. */
function reached(caller?: Caller, peer?: Peer, reach: Reach = 'all'): Reached {
  const rows = CALLERS.map((from) => [
    from,
    Object.fromEntries(
      PEERS.map((to) => [
        to,
        from === caller && to === peer ? reach : MAY_REACH[from].includes(to) ? 'all' : 'none',
      ]),
    ),
  ]);
  return Object.fromEntries(rows);
}

test('a permitted connection is not a breach, and a single pod need not connect to itself', () => {
  assert.deepEqual(breachesOf(reached()), []);
  assert.deepEqual(breachesOf(reached('kafka', 'kafka', 'nothing tried')), []);
});

test('too much, too little, intermittent and untested access are breaches', () => {
  assert.deepEqual(breachesOf(reached('auth', 'redis')), ['auth may not reach redis, and does all the same']);
  assert.deepEqual(breachesOf(reached('gateway', 'jobs', 'none')), ['gateway may reach jobs, and does not']);
  assert.deepEqual(breachesOf(reached('jobs', 'splitter', 'some')), [
    'jobs may reach splitter, and does at times',
  ]);
  assert.deepEqual(breachesOf(reached('jobs', 'auth', 'nothing tried')), [
    'nobody has tried whether jobs reaches auth',
  ]);
});

test('attempts at several pods give one result', () => {
  assert.deepEqual(
    [['open', 'open'], ['ECONNREFUSED', 'no answer'], ['open', 'no answer'], []].map(reachOf),
    ['all', 'none', 'some', 'nothing tried'],
  );
});

test('the table has a row for each caller and marks intermittent access', () => {
  const lines = renderReached(reached('auth', 'redis', 'some')).split('\n');
  assert.equal(lines.length, 2 + CALLERS.length);
  assert.match(lines.find((line) => line.startsWith('| auth')) ?? '', /at times/);
});

test('a connection that only this network plugin permits is not a breach, and is mentioned', () => {
  const letThrough = reached('gateway', 'gateway');
  assert.deepEqual(breachesOf(letThrough), []);
  assert.match(renderReached(letThrough), /From gateway to gateway no policy leads/);
  assert.doesNotMatch(renderReached(reached()), /no policy leads/);
});
