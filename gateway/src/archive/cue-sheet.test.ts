import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCueSheet } from './cue-sheet.ts';

const segments = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    fileName: `talk-${n}.mp3`,
    startMs: n * 1_000,
    durationMs: 1_000,
  }));

// Covers C-10.7
test('a sheet has one file for each track, which begins at 0', () => {
  const [first, second] = segments(2);
  assert.ok(first && second);
  const sheet = createCueSheet([{ ...first, title: 'He said "hi"\nand left' }, second], 'mp3');
  assert.deepEqual(sheet?.split('\r\n'), [
    'FILE "talk-0.mp3" MP3',
    '  TRACK 01 AUDIO',
    `    TITLE "He said 'hi' and left"`,
    '    INDEX 01 00:00:00',
    'FILE "talk-1.mp3" MP3',
    '  TRACK 02 AUDIO',
    '    TITLE "talk-1"',
    '    INDEX 01 00:00:00',
    '',
  ]);
  assert.match(createCueSheet(segments(1), 'flac') ?? '', /^FILE "talk-0.mp3" WAVE/);
});

// Covers C-10.6
test('a millisecond between segments is rounding, two are a gap or an overlap', () => {
  for (const [shiftMs, isMade] of [
    [1, true],
    [-1, true],
    [2, false],
    [-2, false],
  ] as const) {
    const [first, second] = segments(2);
    assert.ok(first && second);
    const shifted = [first, { ...second, startMs: second.startMs + shiftMs }];
    assert.equal(createCueSheet(shifted, 'mp3') !== undefined, isMade, String(shiftMs));
  }
});

// Covers C-10.6
test('no sheet exists for no segments, more than 99, or a name that it cannot contain', () => {
  assert.equal(createCueSheet([], 'mp3'), undefined);
  assert.equal(createCueSheet(segments(100), 'mp3'), undefined);
  assert.match(createCueSheet(segments(99), 'mp3') ?? '', /TRACK 99 AUDIO/);
  const [first] = segments(1);
  assert.ok(first);
  assert.equal(createCueSheet([{ ...first, fileName: 'a"b.mp3' }], 'mp3'), undefined);
});
