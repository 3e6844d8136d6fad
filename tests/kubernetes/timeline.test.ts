import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changes, renderTimeline, type Sample } from './timeline.ts';

const sample = (atMs: number, ready: number, wanted: number, backlog?: number): Sample => ({
  atMs,
  step: 'one',
  replicas: { splitter: { ready, wanted } },
  ...(backlog === undefined ? {} : { backlog }),
});

test('unchanged samples are omitted, except the last one', () => {
  const samples = [
    sample(0, 1, 1),
    sample(2_000, 1, 1),
    sample(4_000, 1, 2),
    sample(6_000, 1, 2),
    sample(8_000, 1, 2),
  ];
  assert.deepEqual(
    changes(samples).map(({ atMs }) => atMs),
    [0, 4_000, 8_000],
  );
});

test('a changed backlog counts as a change', () => {
  assert.equal(changes([sample(0, 1, 1, 0), sample(2_000, 1, 1, 7), sample(4_000, 1, 1, 7)]).length, 3);
});

test('the wanted number is shown until it is reached, and unknown values are empty', () => {
  const [, , ready, unready] = renderTimeline([sample(0, 2, 2, 5), sample(61_400, 2, 4)]).split('\n');
  assert.match(ready ?? '', /^\| 0:00 \| one +\|.*\| 2 +\|.*\| 5 +\|$/);
  assert.match(unready ?? '', /^\| 1:01 \| one +\|.*\| 2\/4 +\|.*\| +\|$/);
});
