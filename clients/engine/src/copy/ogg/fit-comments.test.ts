import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitComments } from './fit-comments.ts';

const PICTURE = 'x'.repeat(500);

function commentPacket(comments: readonly string[]): Buffer {
  const field = (value: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(value));
    return Buffer.concat([length, Buffer.from(value)]);
  };
  const count = Buffer.alloc(4);
  count.writeUInt32LE(comments.length);
  return Buffer.concat([Buffer.from('OpusTags'), field('me'), count, ...comments.map(field), Buffer.of(1)]);
}

test('comments that fit are unchanged', () => {
  const packet = commentPacket(['TITLE=Ä', `METADATA_BLOCK_PICTURE=${PICTURE}`]);
  assert.equal(fitComments(packet, 8, packet.length), packet);
});

test('comments that are too large lose their covers, in either form and case', () => {
  const covers = [`metadata_block_picture=${PICTURE}`, `COVERART=${PICTURE}`, 'CoverArtMime=image/png'];
  const packet = commentPacket(['TITLE=Ä', ...covers, 'COVERARTIST=me', 'METADATA_BLOCK_PICTURE']);
  const expected = commentPacket(['TITLE=Ä', 'COVERARTIST=me', 'METADATA_BLOCK_PICTURE']);
  assert.deepEqual(fitComments(packet, 8, packet.length - 1), expected);
  assert.equal(fitComments(packet, 8, expected.length - 1), undefined);
});

test('an excessive number of comments is not searched', () => {
  const withEmpty = (count: number): Buffer =>
    commentPacket([`COVERART=${PICTURE}`, ...Array.from({ length: count - 1 }, () => '')]);
  assert.ok(fitComments(withEmpty(1_000), 8, 4_100) !== undefined);
  assert.equal(fitComments(withEmpty(1_001), 8, 4_104), undefined);
});

test('a contradictory packet is removed', () => {
  const packet = commentPacket(['TITLE=x', `METADATA_BLOCK_PICTURE=${PICTURE}`]);
  for (let length = 0; length < packet.length - 1; length++) {
    const cut = packet.subarray(0, length);
    if (length > 300) assert.equal(fitComments(cut, 8, 300), undefined);
  }
  const lying = Buffer.from(packet);
  lying.writeUInt32LE(0xffffffff, 14);
  assert.equal(fitComments(lying, 8, 300), undefined);
});
