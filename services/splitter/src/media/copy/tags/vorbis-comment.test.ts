import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberComments } from './vorbis-comment.ts';

function commentList(vendor: string, comments: readonly string[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(comments.length);
  const text = (value: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(value));
    return Buffer.concat([length, Buffer.from(value)]);
  };
  return Buffer.concat([text(vendor), count, ...comments.map(text)]);
}

test('the number follows the title and replaces the track, all else stays in place', () => {
  const list = commentList('me', ['ARTIST=Ä', 'title=Sea = Tones', 'tracknumber=7', 'TRACKTOTAL=9', 'odd']);
  const expected = commentList('me', ['ARTIST=Ä', 'title=Sea = Tones (12)', 'odd', 'TRACKNUMBER=12']);
  const framing = Buffer.of(1);
  assert.deepEqual(numberComments(Buffer.concat([list, framing]), 0, 12), Buffer.concat([expected, framing]));
});

test('comments that contradict themselves are left alone', () => {
  const list = commentList('me', ['TITLE=x']);
  for (let length = 0; length < list.length; length += 1) {
    const cut = list.subarray(0, length);
    assert.equal(numberComments(cut, 0, 1), cut);
  }
});
