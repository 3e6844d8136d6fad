import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignTagBytes } from './foreign-tags.ts';

const FRAME = Buffer.from([0xff, 0xfb, 0x90, 0x64]);

function lyrics1(textBytes: number): Buffer {
  return Buffer.from(`LYRICSBEGIN${'x'.repeat(textBytes)}LYRICSEND`);
}

function lyrics2(...fields: readonly string[]): Buffer {
  const begun = `LYRICSBEGIN${fields.join('')}`;
  return Buffer.from(`${begun}${String(begun.length).padStart(6, '0')}LYRICS200`);
}

test('Lyrics3 tags are measured as their versions define', () => {
  const text = `LYR20000${'y'.repeat(20_000)}`;
  const tags = [lyrics1(0), lyrics1(5_100), lyrics2(), lyrics2('IND00002 1'), lyrics2('IND0000211', text)];
  for (const tag of tags) {
    const window = Buffer.concat([FRAME, tag, FRAME]);
    assert.equal(foreignTagBytes(window, FRAME.length), tag.length);
  }
});

test('an end beyond the reach of a Lyrics3 tag is not its end', () => {
  const tooManyFields = Array.from({ length: 40 }, () => 'INF00001x');
  const junk = [
    lyrics1(5_101),
    lyrics2('not a field'),
    lyrics2('LYR90000cut short'),
    lyrics2(...tooManyFields),
  ];
  for (const tag of junk) assert.equal(foreignTagBytes(Buffer.concat([tag, FRAME]), 0), 0);
});
