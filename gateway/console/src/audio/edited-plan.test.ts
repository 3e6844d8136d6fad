import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCut,
  cutsOf,
  type EditedPlan,
  moveCut,
  piecesOfPlan,
  planOf,
  removeCut,
  setKept,
  setTitle,
  textOfPlan,
} from './edited-plan.ts';
import { parsePlaces } from './typed-places.ts';

const SECONDS = 600;
const read = (text: string) => planOf(parsePlaces(text).value, SECONDS);
const write = (plan: EditedPlan | undefined) => textOfPlan(plan ?? assert.fail('a plan'), SECONDS);

test('a plan is written in the form in which it is read: points, ranges, names, and an open end', () => {
  for (const text of ['1:00\n2:30.500', '1:00-2:00 Teaser\n5:00-', '0:00-2:00\n1:50-4:00', '0:00- All']) {
    assert.equal(write(read(text)), text);
  }
  assert.deepEqual(read(''), [{ start: 0, end: SECONDS }]);
  assert.equal(write(read('')), '0:00-');
  assert.equal(write(read('0:00-5:00\n5:00-')), '5:00');
});

test('a cut is added inside a piece, and the name stays with the first half', () => {
  assert.equal(write(addCut(read(''), 90)), '1:30');
  assert.equal(write(addCut(read('1:00-2:00 Teaser'), 90.0004)), '1:00-1:30 Teaser\n1:30-2:00');
  assert.equal(addCut(read('1:00-2:00'), 150), undefined);
  assert.equal(addCut(read('1:00-2:00'), 119.95), undefined);
});

test('moving a cut moves both adjacent pieces, never past their other ends', () => {
  assert.equal(write(moveCut(read('1:00\n2:00'), 60, 75.25, SECONDS).plan), '1:15.250\n2:00');
  assert.equal(write(moveCut(read('1:00\n2:00'), 60, 500, SECONDS).plan), '1:59.800\n2:00');
  assert.equal(write(moveCut(read('1:00\n2:00'), 60, -5, SECONDS).plan), '0:00.200\n2:00');
  assert.equal(write(moveCut(read('1:00-2:00\n3:00-4:00'), 120, 200, SECONDS).plan), '1:00-3:20\n3:00-4:00');
  assert.equal(moveCut(read('1:00\n2:00'), 60, 500, SECONDS).at, 119.8);
});

test('removing a cut joins the pieces on both sides; a kept piece absorbs a dropped one', () => {
  assert.equal(write(removeCut(read('1:00\n2:00'), 60, SECONDS)), '2:00');
  assert.equal(write(removeCut(read('0:00-1:00 One\n1:00-2:00 Two'), 60, SECONDS)), '0:00-2:00 One');
  assert.equal(write(removeCut(read('1:00-2:00\n3:00-4:00'), 120, SECONDS)), '1:00-3:00\n3:00-4:00');
  assert.equal(write(removeCut(read('1:00-2:00'), 60, SECONDS)), '0:00-2:00');
});

test('pieces can be kept, dropped and named', () => {
  const plan = read('1:00\n2:00');
  const [first, second] = piecesOfPlan(plan, SECONDS);
  const dropped = setKept(plan, second ?? assert.fail(), false);
  assert.equal(write(dropped), '0:00-1:00\n2:00-');
  const pieces = piecesOfPlan(dropped, SECONDS);
  assert.deepEqual(
    pieces.map(({ isKept }) => isKept),
    [true, false, true],
  );
  assert.equal(write(setKept(dropped, pieces[1] ?? assert.fail(), true)), '1:00\n2:00');
  assert.equal(
    write(setTitle(plan, first ?? assert.fail(), 'Welcome')),
    '0:00-1:00 Welcome\n1:00-2:00\n2:00-',
  );
});

test('the cuts are the starts and ends of pieces, each once, except the ends of the recording', () => {
  assert.deepEqual(cutsOf(read('1:00\n2:00'), SECONDS), [60, 120]);
  assert.deepEqual(cutsOf(read('0:00-2:00\n1:50-'), SECONDS), [110, 120]);
});
