import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWhole, showing, startingAt, viewBetween, wholeOf, zoomed } from './view.ts';

const SECONDS = 100;

test('zooming keeps the chosen time in place, and the view within the recording', () => {
  const whole = wholeOf(SECONDS);
  assert.deepEqual(zoomed(whole, 2, 50, SECONDS), { start: 25, end: 75 });
  assert.deepEqual(zoomed(whole, 4, 0, SECONDS), { start: 0, end: 25 });
  assert.deepEqual(zoomed({ start: 25, end: 75 }, 0.5, 30, SECONDS), whole);
  assert.ok(isWhole(zoomed({ start: 25, end: 75 }, 0.1, 30, SECONDS), SECONDS));
});

test('a view is never shorter than a second or longer than the recording', () => {
  assert.deepEqual(zoomed({ start: 10, end: 11.5 }, 2, 10, SECONDS), { start: 10, end: 11 });
  assert.deepEqual(viewBetween(20.4, 20.6, SECONDS), { start: 20, end: 21 });
  assert.deepEqual(viewBetween(0.1, 0.2, 0.5), { start: 0, end: 0.5 });
});

test('a view can be selected from either side', () => {
  assert.deepEqual(viewBetween(40, 30, SECONDS), { start: 30, end: 40 });
  assert.deepEqual(viewBetween(30, 40, SECONDS), { start: 30, end: 40 });
});

test('a view can be moved as far as the ends, and to a time that it does not show', () => {
  const view = { start: 10, end: 30 };
  assert.deepEqual(startingAt(view, 95, SECONDS), { start: 80, end: 100 });
  assert.deepEqual(startingAt(view, -5, SECONDS), { start: 0, end: 20 });
  assert.equal(showing(view, 30, SECONDS), view);
  assert.deepEqual(showing(view, 50, SECONDS), { start: 48, end: 68 });
});
