import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBox, uint32 } from '../../copy/m4a/boxes.ts';
import { failsWith } from '../../testing/fails-with.ts';
import type { SourceBytes } from '../input/source-bytes.ts';
import { findMoov, leadingIndexEnd, refuseOddMovie } from './movie-index.ts';

const MOOV = createBox('moov', Buffer.from('index'));
const FREE = createBox('free');

function sourceOf(bytes: Buffer): SourceBytes & { readonly reads: () => number } {
  let reads = 0;
  return {
    container: 'mp4',
    async head(start, length) {
      assert.ok(Number.isSafeInteger(start + length));
      reads += 1;
      return Buffer.from(bytes.subarray(start, start + length));
    },
    tail: () => assert.fail('the index is searched from the front'),
    reads: () => reads,
  };
}

function largeBox(type: string, sizeBytes: bigint): Buffer {
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write(type, 4, 'latin1');
  box.writeBigUInt64BE(sizeBytes, 8);
  return box;
}

test('an index is found before the media, after it, and with a size of 64 bits', async () => {
  const media = createBox('mdat', Buffer.alloc(100_000));
  const large = Buffer.concat([largeBox('moov', 21n), Buffer.from('index')]);
  for (const bytes of [
    [MOOV, media],
    [media, MOOV],
    [FREE, media, FREE, MOOV],
    [media, large],
  ]) {
    assert.equal((await findMoov(sourceOf(Buffer.concat(bytes))))?.toString(), 'index');
  }
  assert.equal(await findMoov(sourceOf(media)), undefined);
});

test('the search ends soon, for any boxes', async () => {
  const crowd = sourceOf(Buffer.concat([...Array.from({ length: 100_000 }, () => FREE), MOOV]));
  assert.equal(await findMoov(crowd), undefined);
  assert.ok(crowd.reads() <= 3);
  const farAway = sourceOf(Buffer.concat([largeBox('mdat', 0x0815_19de_ffff_ff0en), MOOV]));
  assert.equal(await findMoov(farAway), undefined);
});

test('an index before the media is recognized, and one after it is not', () => {
  assert.equal(leadingIndexEnd(Buffer.concat([FREE, MOOV.subarray(0, 8)])), FREE.length + MOOV.length);
  assert.equal(leadingIndexEnd(Buffer.concat([FREE, createBox('mdat'), MOOV])), undefined);
  assert.equal(leadingIndexEnd(FREE), undefined);
});

function track(times: readonly number[], ticksPerSecond = 8_000): Buffer {
  const hdlr = createBox('hdlr', uint32(0, 0), Buffer.from('soun'));
  const mdhd = createBox('mdhd', uint32(0, 0, 0, ticksPerSecond, 0, 0));
  const stts = createBox('stts', uint32(0, times.length / 2, ...times));
  const tables = createBox('minf', createBox('stbl', stts));
  return createBox('trak', createBox('mdia', mdhd, hdlr, tables));
}

function editList(count: number): Buffer {
  return createBox('elst', uint32(0, count), Buffer.alloc(12 * count));
}

test('an index that would overload a decoder is rejected', () => {
  const few = createBox('trak', createBox('edts', editList(20)));
  const odd = [
    createBox('trak', createBox('edts', editList(2_000))),
    // In the wrong place, and in many tracks.
    editList(2_000),
    Buffer.concat(Array.from({ length: 20 }, () => few)),
    track([300, 0]),
    track([0xffff_ffff, 0xffff_ffff]),
    track([300, 1_024], 0),
  ];
  for (const moov of odd) {
    assert.throws(() => refuseOddMovie(moov), failsWith('UNSUPPORTED_MEDIA'));
  }
  for (const moov of [
    few,
    track([300, 1_024]),
    track([1, 0]),
    track([]),
    Buffer.from('elst'),
    Buffer.alloc(0),
  ]) {
    refuseOddMovie(moov);
  }
});
