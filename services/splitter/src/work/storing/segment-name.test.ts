import assert from 'node:assert/strict';
import { test } from 'node:test';
import { segmentFileName } from './segment-name.ts';

// Covers D-9.28
test('segment names: base name, zero-based index padded to the widest, extension', () => {
  for (const [expected, source, index, count, extension] of [
    ['talk-0.mp3', 'talk.mp3', 0, 1, 'mp3'],
    ['talk-9.mp3', 'talk.mp3', 9, 10, 'mp3'],
    ['talk-09.mp3', 'talk.mp3', 9, 11, 'mp3'],
    ['talk-0999.m4a', 'talk.wav', 999, 10_000, 'm4a'],
    ['a.b-1.flac', 'a.b.ogg', 1, 2, 'flac'],
    ['README-0.wav', 'README', 0, 2, 'wav'],
    ['.hidden-0.wav', '.hidden', 0, 2, 'wav'],
  ] as const) {
    assert.equal(segmentFileName(source, index, count, extension), expected);
  }
});
