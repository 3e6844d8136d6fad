import { createCase } from '../engine/fuzz-case.ts';
import { ascii, big, FILLER_BYTES, little, noise, times } from './bytes.ts';
import { ID3V1, id3Tag, richTags } from './id3.ts';

interface Mp3Shape {
  /** The header's four bytes. */
  readonly header: number;
  readonly frameBytes: number;
  readonly sideInfoBytes: number;
}

/** MPEG-2.5, 8 kHz, 8 kbit/s, mono, 72 ms a frame. */
const SLOW: Mp3Shape = { header: 0xffe318c0, frameBytes: 72, sideInfoBytes: 9 };
/** MPEG-1, 44.1 kHz, 32 kbit/s, stereo. */
const FAST: Mp3Shape = { header: 0xfffb1000, frameBytes: 104, sideInfoBytes: 32 };
/** MPEG-2, 16 kHz, 8 kbit/s, mono, with a checksum. */
const CHECKED: Mp3Shape = { header: 0xfff218c0, frameBytes: 36, sideInfoBytes: 9 };

/** Main data of every third frame begins in the bytes of those before. */
function frame({ header, frameBytes }: Mp3Shape, index: number): Buffer {
  const body = noise(frameBytes - 4, index + 1);
  body[0] = index % 3 === 2 ? 40 : 0;
  return Buffer.concat([big(4, header), body]);
}

function infoFrame(shape: Mp3Shape, frameCount: number): Buffer {
  const info = Buffer.alloc(416);
  const start = 4 + shape.sideInfoBytes;
  // The same stream at the lowest bitrate that has room for the tag.
  const [header, bytes] = shape === SLOW ? [0xffe338c0, 216] : [0xfffb5000, 208];
  big(4, header).copy(info);
  info.write('Xing', start, 'latin1');
  big(4, 0xf, frameCount, frameCount * shape.frameBytes).copy(info, start + 4);
  info.write('LAME3.100', start + 120, 'latin1');
  big(3, (576 << 12) | 700).copy(info, start + 141);
  return info.subarray(0, bytes);
}

function apeTag(): Buffer {
  const item = Buffer.concat([little(4, 3, 0), ascii('Title\0abc')]);
  const header = (flags: number): Buffer =>
    Buffer.concat([ascii('APETAGEX'), little(4, 2000, item.length + 32, 1, flags), Buffer.alloc(8)]);
  return Buffer.concat([header(0xa0000000), item, header(0x80000000)]);
}

export function mp3Seeds(): readonly Buffer[] {
  const slow = times(36, (index) => frame(SLOW, index));
  const fast = times(20, (index) => frame(FAST, index));
  const vbri = frame(FAST, 0);
  vbri.fill(0, 4, 36).write('VBRI', 36, 'latin1');
  const tags = richTags();
  const filler = id3Tag(3, [], FILLER_BYTES);
  const lyrics = ascii('LYRICSBEGININD0000200000LYRICS200');
  return [
    createCase(Buffer.concat(slow)),
    createCase(Buffer.concat(fast)),
    createCase(Buffer.concat(times(40, (index) => frame(CHECKED, index)))),
    createCase(Buffer.concat([...tags, infoFrame(SLOW, 30), ...slow.slice(0, 30), apeTag(), ID3V1])),
    createCase(Buffer.concat([infoFrame(FAST, 20), ...fast, lyrics, ID3V1])),
    createCase(Buffer.concat([vbri, ...fast])),
    createCase(
      Buffer.concat([noise(50), ...slow.slice(0, 9), noise(30), ...slow.slice(9), apeTag(), ...slow]),
    ),
    createCase(Buffer.concat([filler, ...slow]), {
      repeat: { at: 9, byteCount: 1, times: FILLER_BYTES },
      chunking: 6,
    }),
    // Many frames: the loops over a full window, and the reservoir's forgetting.
    createCase(Buffer.concat(slow), { repeat: { at: 0, byteCount: 72, times: 400 } }),
  ];
}

/** AAC-LC, 7,350 Hz, mono, 139 ms a block. */
function adtsFrame(blockCount: number, bodyBytes: number, hasChecksum = false): Buffer {
  const size = 7 + (hasChecksum ? 2 : 0) + bodyBytes;
  const header = Buffer.of(
    ...[0xff, hasChecksum ? 0xf0 : 0xf1, (1 << 6) | (12 << 2), (1 << 6) | (size >> 11)],
    ...[(size >> 3) & 0xff, ((size & 7) << 5) | 0x1f, 0xfc | (blockCount - 1)],
  );
  return Buffer.concat([header, noise(size - 7, blockCount + bodyBytes)]);
}

export function adtsSeeds(): readonly Buffer[] {
  const plain = times(30, (index) => adtsFrame(1, 6 + (index % 5)));
  const filler = id3Tag(3, [], FILLER_BYTES);
  return [
    createCase(Buffer.concat(plain)),
    createCase(Buffer.concat(times(12, () => adtsFrame(4, 20)))),
    createCase(Buffer.concat([...richTags().slice(0, 1), ...times(20, () => adtsFrame(1, 12, true)), ID3V1])),
    createCase(Buffer.concat([noise(40), ...plain, noise(9), ...plain, apeTag()])),
    createCase(Buffer.concat([filler, ...plain]), {
      repeat: { at: 9, byteCount: 1, times: FILLER_BYTES },
      chunking: 6,
    }),
    createCase(Buffer.concat(plain), { repeat: { at: 0, byteCount: 13, times: 6_000 }, chunking: 5 }),
  ];
}
