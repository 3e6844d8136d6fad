import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberComments, retagComments } from './vorbis-comment.ts';

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

test('contradictory comments are unchanged', () => {
  const list = commentList('me', ['TITLE=x']);
  for (let length = 0; length < list.length; length += 1) {
    const cut = list.subarray(0, length);
    assert.equal(numberComments(cut, 0, 1), cut);
  }
});

const OWN = { title: 'a = b\nc', track: 3, trackCount: 12 };

test('a segment’s own title and track replace those of the source, and comments with its times are removed', () => {
  const others = ['ARTIST=Ä', 'odd', 'CHAPTERS=2'];
  const timed = ['CHAPTER001=00:00:00.000', 'chapter001name=One', 'CHAPTER001URL=x', 'CUESHEET=REM'];
  const list = commentList('me', ['Title=x', ...others, 'title=y', 'TRACK=1', 'TotalTracks=9', ...timed]);
  const expected = ['TITLE=a = b\nc', ...others, 'TRACKNUMBER=3', 'TRACKTOTAL=12'];
  assert.deepEqual(retagComments(list, 0, OWN), commentList('me', expected));
  const numbered = ['Title=x (3)', ...others, 'title=y (3)', 'TRACKNUMBER=3', 'TRACKTOTAL=12'];
  assert.deepEqual(retagComments(list, 0, { ...OWN, title: undefined }), commentList('me', numbered));
});

test('contradictory comments have no place for a title', () => {
  const list = commentList('me', ['TITLE=x']);
  for (let length = 0; length < list.length; length += 1)
    assert.equal(retagComments(list.subarray(0, length), 0, OWN), undefined);
});
