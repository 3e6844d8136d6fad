import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTime } from '../format/typed-time.ts';
import { parseChapters, parsePlaces } from './typed-places.ts';

const problemOf = (text: string) => parsePlaces(text).problem;

test('ranges have a start, usually an end, and optionally a title', () => {
  const text = '1:00-2:30\n\n 10:00 – 12:45.500  The interview \n0:05 - 2nd part\n90-95.5 x-y\n1:00:00-';
  assert.deepEqual(parsePlaces(text).value, {
    ranges: [
      { start: 60, end: 150 },
      { start: 600, end: 765.5, title: 'The interview' },
      { start: 5, title: '2nd part' },
      { start: 90, end: 95.5, title: 'x-y' },
      { start: 3_600 },
    ],
  });
});

test('lengths are converted into times', () => {
  assert.deepEqual(parsePlaces('1m-2m30s News\n0:05 - 2nd part\n1h-').value, {
    ranges: [{ start: 60, end: 150, title: 'News' }, { start: 5, title: '2nd part' }, { start: 3_600 }],
  });
  assert.deepEqual(parsePlaces('21.6\n1m30s').value, { splitPoints: [21.6, 90] });
  assert.deepEqual(parseChapters('10m The news').value, [{ startTime: 600, title: 'The news' }]);
});

test('cut points are times only', () => {
  assert.deepEqual(parsePlaces('0:30\r\n10:00\n1:02:03').value, { splitPoints: [30, 600, 3_723] });
});

test('the error of a wrong line shows its number and the remedy', () => {
  assert.equal(problemOf('1:00-2:30\nsoon'), 'Line 2: give only ranges, or only points to cut at.');
  assert.equal(problemOf('1:00-2:75'), 'Line 1: give a start and an end, as in 1:00-2:30.');
  assert.equal(problemOf('\n2:00-2:00'), 'Line 2: the end must be after the start.');
  assert.equal(
    problemOf('10:00 Interview'),
    'Line 1: give a time, as in 10:00, or a range, as in 1:00-2:30.',
  );
  assert.equal(problemOf('0:00\n1:00'), 'Line 1: the first cut must be after 0:00.');
  assert.equal(problemOf('2:00\n1:00'), 'Line 2: times must increase.');
  assert.equal(problemOf(`1-2 ${'x'.repeat(501)}`), 'Line 1: a title has at most 500 characters.');
  assert.equal(problemOf('1-2\n'.repeat(1_001)), 'Give at most 1,000 lines.');
});

test('empty text is incomplete, but not an error', () => assert.equal(problemOf(' \n'), ''));

test('chapters are times with titles, as in common lists of chapters', () => {
  assert.deepEqual(parseChapters('0:00 Welcome\n1:30 - News\n12:30').value, [
    { startTime: 0, title: 'Welcome' },
    { startTime: 90, title: 'News' },
    { startTime: 750 },
  ]);
  assert.deepEqual(parseChapters('\n'), { value: undefined });
  assert.equal(parseChapters('2:00 a\n1:00 b').problem, 'Line 2: times must increase.');
  assert.equal(
    parseChapters('Welcome').problem,
    'Line 1: give a time and a title, as in 12:30 The interview.',
  );
});

test('any ranges that are written are read back unchanged', () => {
  const range = fc
    .tuple(fc.nat({ max: 9_999_999 }), fc.integer({ min: 1, max: 9_999_999 }), fc.boolean())
    .map(([startMs, lengthMs, isOpen]) => ({
      start: startMs / 1_000,
      ...(isOpen ? {} : { end: (startMs + lengthMs) / 1_000 }),
    }));
  fc.assert(
    fc.property(fc.array(range, { minLength: 1 }), (ranges) => {
      const lines = ranges.map(
        ({ start, end }) => `${formatTime(start)}-${end === undefined ? '' : formatTime(end)}`,
      );
      assert.deepEqual(parsePlaces(lines.join('\n')).value, { ranges });
    }),
  );
});
