import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePlan } from './dry-run-table.ts';
import { describeSegments } from './summary.ts';

const FIRST = { index: 0, startTime: 0, endTime: 59.25, duration: 59, cut: 'silence' } as const;
const SECOND = { index: 1, startTime: 58.25, endTime: 100, duration: 42, cut: 'end' } as const;

test('a segment is one line, and estimated values are marked', () => {
  const segments = [
    { ...FIRST, size: 480_000, sizeIsEstimate: true, fileName: '1 Welcome.mp3' },
    { ...SECOND, size: 96_000, sizeIsEstimate: true, fileName: '2 The end.mp3' },
  ];
  assert.equal(
    describePlan({ segments }),
    [
      '       from        to    length  ends by      size  name',
      '1  0:00.000  0:59.250  0:59.250  silence   ~480 kB  1 Welcome.mp3',
      '2  0:58.250  1:40.000  0:41.750      end  ~96.0 kB  2 The end.mp3',
    ].join('\n'),
  );
  const made = { segments, outputFormat: 'mp3', sourceDuration: 100 } as const;
  assert.equal(describeSegments(made, 2_400), '2 segments, mp3, 1:40 of audio, ~576 kB, in 2.4 s');
});

test('with an overlap a segment also has the time of its cut', () => {
  const segments = [
    { ...FIRST, contentStart: 0, size: 480_000, fileName: 'a.mp3' },
    { ...SECOND, contentStart: 59.25, size: 96_000, fileName: 'b.mp3' },
  ];
  const [titles, , second] = describePlan({ segments }).split('\n');
  assert.deepEqual(titles?.trim().split(/ +/), ['from', 'cut', 'to', 'length', 'ends', 'by', 'size', 'name']);
  assert.equal(second, '2  0:58.250  0:59.250  1:40.000  0:41.750      end  96.0 kB  b.mp3');
});
