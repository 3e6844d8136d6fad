import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxTagBytes, parseFfmetadata, segmentTags } from './tags.ts';

test('known tags are read with their escapes; the rest, chapters included, is left out', () => {
  const text =
    ';FFMETADATA1\ntitle=a\\=b\\; \\#1\\\nsecond line\nARTIST=Ä\nencoder=Lavf\ncomment=x\n[CHAPTER]\ntitle=one\n';
  assert.deepEqual(
    parseFfmetadata(text),
    new Map([
      ['title', 'a=b; #1 second line'],
      ['artist', 'Ä'],
    ]),
  );
});

test('control characters and excess never reach an argument', () => {
  const title = parseFfmetadata(`title=a\0b\u001b${'x'.repeat(9_999)}`).get('title') ?? '';
  assert.ok(title.startsWith('a b x'));
  assert.equal(title.length, 500);
});

test('a segment carries its number, in the title only where there is one', () => {
  assert.deepEqual(
    segmentTags(new Map([['title', 'T']]), 1),
    new Map([
      ['title', 'T (2)'],
      ['track', '2'],
    ]),
  );
  assert.deepEqual(segmentTags(new Map(), 0), new Map([['track', '1']]));
  assert.ok(maxTagBytes(new Map([['title', 'Ä'.repeat(100)]])) > 250);
});
