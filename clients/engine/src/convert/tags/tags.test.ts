import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestSegmentTags, maxTagBytes, parseFfmetadata, segmentTags } from './tags.ts';

test('known tags are read with their escapes; the rest, including chapters, is omitted', () => {
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

test('control characters and excess text never reach an argument', () => {
  const title = parseFfmetadata(`title=a\0b\u001b${'x'.repeat(9_999)}`).get('title') ?? '';
  assert.ok(title.startsWith('a b x'));
  assert.equal(title.length, 500);
});

test('a segment has its number, in the title only if there is one', () => {
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

test('space is reserved for the longest title and track of any segment', () => {
  const source = new Map([['title', 'T']]);
  const tagsOf = (index: number) => ({
    title: index === 17 ? 'Ä'.repeat(300) : 'x'.repeat(500),
    track: index + 1,
    trackCount: 20,
  });
  const longest = longestSegmentTags(source, tagsOf);
  assert.equal(longest.get('title'), 'Ä'.repeat(300));
  assert.deepEqual([longest.get('track'), longest.get('tracktotal')], ['10000', '20']);
  assert.ok(maxTagBytes(source, tagsOf) > 600 && maxTagBytes(source) < 100);
  assert.deepEqual(
    longestSegmentTags(source, () => undefined),
    longestSegmentTags(source),
  );
  for (let index = 0; index < 20; index += 1) {
    for (const [name, value] of segmentTags(source, index, tagsOf))
      assert.ok(Buffer.byteLength(value) <= Buffer.byteLength(longest.get(name) ?? ''));
  }
});
