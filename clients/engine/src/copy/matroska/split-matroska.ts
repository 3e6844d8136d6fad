import { CopyNotPossibleError, type CopySplitter } from '../copy-contract.ts';
import {
  createCommentBlock,
  createFlacHead,
  isCommentBlock,
  readFlacBlocks,
} from '../flac/metadata-blocks.ts';
import { createOpusCodec, OPUS_RATE_HZ } from '../ogg/opus-headers.ts';
import { remuxToOgg } from '../ogg/remux-to-ogg.ts';
import { splitOpus } from '../ogg/split-opus.ts';
import { splitVorbis } from '../ogg/split-vorbis.ts';
import { createVorbisCodec } from '../ogg/vorbis-headers.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import { createRemuxingSplitter } from '../split-remuxed.ts';
import { commentsFrom } from '../tags/kept-tags.ts';
import { type MatroskaAudio, openMatroska } from './walker.ts';

/** Comments are limited by the splitter that repeats them. */
const ANY_SIZE = Number.POSITIVE_INFINITY;

export const splitMatroskaOpus = createRemuxingSplitter(splitOpus, remuxOpus);
export const splitMatroskaVorbis = createRemuxingSplitter(splitVorbis, remuxVorbis);

export function createMatroskaFlacSplitter(splitFlac: CopySplitter): CopySplitter {
  return createRemuxingSplitter(splitFlac, remuxFlac);
}

/**
 * The private data is the identification header, whose pre-skip is used; the track's delay is the same value,
 * rounded.
 */
async function* remuxOpus(reader: ByteReader): AsyncGenerator<Buffer> {
  const { track, tags, frames } = await openTrack(reader, 'A_OPUS');
  yield* remuxToOgg({
    codec: createOpusCodec(ANY_SIZE),
    headerPackets: [track.codecPrivate, Buffer.concat([Buffer.from('OpusTags'), commentsFrom(tags)])],
    sampleRateHz: () => OPUS_RATE_HZ,
    packets: frames,
  });
}

async function* remuxVorbis(reader: ByteReader): AsyncGenerator<Buffer> {
  const { track, tags, frames } = await openTrack(reader, 'A_VORBIS');
  const [identification, comment, setup] = xiphPackets(track.codecPrivate);
  yield* remuxToOgg({
    codec: createVorbisCodec(ANY_SIZE),
    headerPackets: [
      identification,
      tags.length === 0
        ? comment
        : Buffer.concat([Buffer.from('\u0003vorbis', 'latin1'), commentsFrom(tags), Buffer.of(1)]),
      setup,
    ],
    sampleRateHz: (headers) => headers.sampleRateHz,
    packets: frames,
  });
}

async function* remuxFlac(reader: ByteReader): AsyncGenerator<Buffer> {
  const { track, tags, frames } = await openTrack(reader, 'A_FLAC');
  const blocks = readFlacBlocks(track.codecPrivate);
  const others = tags.length === 0 ? blocks : blocks.filter((block) => !isCommentBlock(block));
  yield createFlacHead(tags.length === 0 ? others : [...others, createCommentBlock(commentsFrom(tags))]);
  for await (const batch of frames) {
    if (batch.some(({ discardedSeconds }) => discardedSeconds !== 0))
      throw new CopyNotPossibleError('Matroska: sound is left out');
    yield Buffer.concat(batch.map(({ bytes }) => bytes));
  }
}

async function openTrack(reader: ByteReader, codecId: string): Promise<MatroskaAudio> {
  const audio = await openMatroska(reader);
  if (audio.track.codecId !== codecId) throw new CopyNotPossibleError(`Matroska: ${audio.track.codecId}`);
  return audio;
}

/**
 * Laced like frames: their number minus one, and the sizes of all but the last in bytes of 255 and a smaller
 * one.
 */
function xiphPackets(laced: Buffer): readonly [Buffer, Buffer, Buffer] {
  let at = 1;
  const sizes = [0, 0].map(() => {
    let size = 0;
    for (let byte = 255; byte === 255; at++) {
      byte = laced[at] ?? 0;
      size += byte;
    }
    return size;
  });
  const [first = 0, second = 0] = sizes;
  if (laced[0] !== 2 || at + first + second > laced.length)
    throw new CopyNotPossibleError('Matroska: Vorbis headers cut short');
  return [
    laced.subarray(at, at + first),
    laced.subarray(at + first, at + first + second),
    laced.subarray(at + first + second),
  ];
}
