import { unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError, type SegmentTags } from '../copy-contract.ts';
import { numberComments, retagComments } from '../tags/vorbis-comment.ts';
import { fitComments } from './fit-comments.ts';
import type { OggCodec, PacketMeter } from './stream-walker.ts';
import { readVorbisSetup } from './vorbis-setup.ts';

/**
 * The information about packet lengths in the three header packets of a Vorbis I stream (specification 4.2).
 */
interface VorbisHeaders {
  readonly sampleRateHz: number;
  /**
   * Identification, comment and setup as repeated by segment `number` (from 1 on); with the segment's own
   * tags, if it has any.
   */
  packetsFor(number: number, tags: SegmentTags | undefined): readonly [Buffer, Buffer, Buffer];
  /** The window length of an audio packet; `firstByte` is undefined for an empty one. */
  blockSamples(firstByte: number | undefined): number;
}

const IDENTIFICATION = 1;
const COMMENT = 3;
const SETUP = 5;
const IDENTIFICATION_BYTES = 30;
/** The position after the packet's type and `vorbis`. */
const COMMENTS_AT = 7;
/** It is repeated in every segment; libvorbis writes 3 to 8 kB. */
const MAX_SETUP_BYTES = 256 * 1024;
/** The window length (specification 4.2.2). */
export const MAX_BLOCK_SAMPLES = 8_192;
/** Four times what libvorbis encodes. A header may claim 4 GHz, which no decoder takes. */
const MAX_SAMPLE_RATE_HZ = 768_000;

/**
 * If the comment header is larger than `maxTagBytes`, its cover is removed or, if that is not enough, all
 * comments.
 */
export function createVorbisCodec(maxTagBytes: number): OggCodec<VorbisHeaders> {
  return {
    name: 'Vorbis',
    headerPacketCount: 3,
    isIdentification,
    readHeaders: (packets) => readVorbisHeaders(packets, maxTagBytes),
    createMeter,
  };
}

/** A packet completes a quarter of its window and of the previous one; the first packet completes none. */
function createMeter(headers: VorbisHeaders): PacketMeter {
  let previousBlock: number | undefined;
  return (bytes, start, end) => {
    const block = headers.blockSamples(start < end ? bytes[start] : undefined);
    const sampleCount = previousBlock === undefined ? 0 : (previousBlock + block) / 4;
    previousBlock = block;
    return sampleCount;
  };
}

function isIdentification(packet: Buffer): boolean {
  return isHeader(packet, IDENTIFICATION) && packet.length >= IDENTIFICATION_BYTES;
}

function readVorbisHeaders(packets: readonly Buffer[], maxTagBytes: number): VorbisHeaders {
  const [identification, comment, setup] = packets;
  if (
    identification === undefined ||
    comment === undefined ||
    setup === undefined ||
    !isIdentification(identification) ||
    !isHeader(comment, COMMENT) ||
    !isHeader(setup, SETUP)
  ) {
    throw unsupportedMedia('The Vorbis headers are not complete.');
  }
  if (setup.length > MAX_SETUP_BYTES) throw new CopyNotPossibleError('the Vorbis setup header is too large');
  const channelCount = identification.readUInt8(11);
  const sampleRateHz = identification.readUInt32LE(12);
  const sizes = identification.readUInt8(28);
  const shortBlock = 1 << (sizes & 0xf);
  const longBlock = 1 << (sizes >> 4);
  const hasBlockSizes = shortBlock >= 64 && longBlock >= shortBlock && longBlock <= MAX_BLOCK_SAMPLES;
  if (channelCount === 0 || sampleRateHz === 0 || !hasBlockSizes) {
    throw unsupportedMedia('The Vorbis identification header makes no sense.');
  }
  if (sampleRateHz > MAX_SAMPLE_RATE_HZ) throw new CopyNotPossibleError(`Vorbis at ${sampleRateHz} Hz`);
  const { hasLongBlock } = readVorbisSetup(setup, channelCount);
  const modeMask = 2 ** Math.ceil(Math.log2(hasLongBlock.length)) - 1;
  const first = Buffer.from(identification);
  const comments = fitComments(Buffer.from(comment), COMMENTS_AT, maxTagBytes) ?? createEmptyComment();
  const last = Buffer.from(setup);
  function commentFor(number: number, tags: SegmentTags | undefined): Buffer {
    if (tags === undefined) return numberComments(comments, COMMENTS_AT, number);
    const retagged = retagComments(comments, COMMENTS_AT, tags);
    return retagged ?? retagComments(createEmptyComment(), COMMENTS_AT, tags) ?? comments;
  }
  return {
    sampleRateHz,
    packetsFor: (number, tags) => [first, commentFor(number, tags), last],
    blockSamples(firstByte) {
      if (firstByte === undefined || (firstByte & 1) !== 0)
        throw new CopyNotPossibleError('not a Vorbis audio packet');
      const isLong = hasLongBlock[(firstByte >> 1) & modeMask];
      if (isLong === undefined) throw new CopyNotPossibleError('a Vorbis packet of an unknown mode');
      return isLong ? longBlock : shortBlock;
    },
  };
}

function isHeader(packet: Buffer, type: number): boolean {
  return packet[0] === type && packet.toString('latin1', 1, 7) === 'vorbis';
}

/** No vendor, no comments, framing bit. */
function createEmptyComment(): Buffer {
  return Buffer.concat([Buffer.of(COMMENT), Buffer.from('vorbis'), Buffer.alloc(8), Buffer.of(1)]);
}
