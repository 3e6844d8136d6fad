import { unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError, type SegmentTags } from '../copy-contract.ts';
import { numberComments, retagComments } from '../tags/vorbis-comment.ts';
import { fitComments } from './fit-comments.ts';
import type { OggCodec } from './stream-walker.ts';

/** Opus in Ogg (RFC 7845) counts time at 48 kHz, regardless of the encoder's input rate. */
export const OPUS_RATE_HZ = 48_000;

interface OpusHeaders {
  /** Samples at the start that decoders drop. */
  readonly preSkip: number;
  readonly identification: Buffer;
  /** As repeated by segment `number` (from 1 on); with the segment's own tags, if it has any. */
  commentFor(number: number, tags: SegmentTags | undefined): Buffer;
}

const IDENTIFICATION_BYTES = 19;
const VERSION_AT = 8;
const CHANNELS_AT = 9;
const PRE_SKIP_AT = 10;
const INPUT_RATE_AT = 12;
const FAMILY_AT = 18;
const STREAMS_AT = 19;
const MAPPING_AT = 21;
/** The mapping table's entry for a silent channel. */
const SILENT_CHANNEL = 255;
/** The family whose table is a matrix (RFC 8486 3.2). */
const MATRIX_FAMILY = 3;
/** The position after `OpusTags`. */
const COMMENTS_AT = 8;
const MAX_PACKET_SAMPLES = 5760;
/** Samples per frame by configuration (RFC 6716 3.1): SILK, hybrid, CELT. */
const SILK_FRAMES = [480, 960, 1920, 2880];
const HYBRID_FRAMES = [480, 960];
const CELT_FRAMES = [120, 240, 480, 960];

/**
 * If the comment header is larger than `maxTagBytes`, its cover is removed or, if that is not enough, all
 * comments.
 */
export function createOpusCodec(maxTagBytes: number): OggCodec<OpusHeaders> {
  return {
    name: 'Opus',
    headerPacketCount: 2,
    isIdentification,
    readHeaders([identification, comment]) {
      if (identification === undefined || comment?.toString('latin1', 0, 8) !== 'OpusTags') {
        throw unsupportedMedia('The Opus headers are not complete.');
      }
      checkIdentification(identification);
      const comments = fitComments(Buffer.from(comment), COMMENTS_AT, maxTagBytes) ?? createEmptyComment();
      return {
        preSkip: identification.readUInt16LE(PRE_SKIP_AT),
        identification: Buffer.from(identification),
        commentFor(number, tags) {
          if (tags === undefined) return numberComments(comments, COMMENTS_AT, number);
          const retagged = retagComments(comments, COMMENTS_AT, tags);
          return retagged ?? retagComments(createEmptyComment(), COMMENTS_AT, tags) ?? comments;
        },
      };
    },
    createMeter: () => packetSamples,
  };
}

interface IdentificationFields {
  readonly channelCount: 1 | 2;
  readonly preSkip: number;
  /** The encoder's input rate, for information only. */
  readonly inputRateHz: number;
}

export function createIdentification({ channelCount, preSkip, inputRateHz }: IdentificationFields): Buffer {
  const identification = Buffer.alloc(IDENTIFICATION_BYTES);
  identification.write('OpusHead', 'latin1');
  identification.writeUInt8(1, VERSION_AT);
  identification.writeUInt8(channelCount, CHANNELS_AT);
  identification.writeUInt16LE(preSkip, PRE_SKIP_AT);
  identification.writeUInt32LE(inputRateHz, INPUT_RATE_AT);
  return identification;
}

export function withPreSkip(identification: Buffer, preSkip: number): Buffer {
  const changed = Buffer.from(identification);
  changed.writeUInt16LE(preSkip, PRE_SKIP_AT);
  return changed;
}

function isIdentification(packet: Buffer): boolean {
  return packet.length >= IDENTIFICATION_BYTES && packet.toString('latin1', 0, 8) === 'OpusHead';
}

/**
 * The checks that RFC 7845 5.1 requires of decoders. Throws UNSUPPORTED_MEDIA if the channels are impossible,
 * CopyNotPossibleError for an incompatible version.
 */
function checkIdentification(packet: Buffer): void {
  // The upper half changes when older readers must not continue.
  if (packet.readUInt8(VERSION_AT) >> 4 !== 0)
    throw new CopyNotPossibleError('Opus headers of another version');
  const channelCount = packet.readUInt8(CHANNELS_AT);
  const family = packet.readUInt8(FAMILY_AT);
  if (channelCount === 0 || !hasPossibleMapping(packet, channelCount, family)) {
    throw unsupportedMedia('The Opus identification header makes no sense.');
  }
}

function hasPossibleMapping(packet: Buffer, channelCount: number, family: number): boolean {
  if (family === 0) return channelCount <= 2;
  if (family === 1 && channelCount > 8) return false;
  if (packet.length < MAPPING_AT) return false;
  const streams = packet.readUInt8(STREAMS_AT);
  const coupledStreams = packet.readUInt8(STREAMS_AT + 1);
  const decodedChannels = streams + coupledStreams;
  if (streams === 0 || coupledStreams > streams || decodedChannels > 255) return false;
  if (family === MATRIX_FAMILY) return true;
  const mapping = packet.subarray(MAPPING_AT, MAPPING_AT + channelCount);
  return (
    mapping.length === channelCount &&
    mapping.every((channel) => channel < decodedChannels || channel === SILENT_CHANNEL)
  );
}

/** The samples of a packet, from its first bytes (RFC 6716 3.1 and 3.2). */
function packetSamples(bytes: Buffer, start: number, end: number): number {
  const contents = bytes[start] ?? 0;
  const configuration = contents >> 3;
  const frameSamples =
    configuration < 12
      ? SILK_FRAMES[configuration & 3]
      : configuration < 16
        ? HYBRID_FRAMES[configuration & 1]
        : CELT_FRAMES[configuration & 3];
  const code = contents & 3;
  const frameCount = code === 0 ? 1 : code < 3 ? 2 : end - start > 1 ? (bytes[start + 1] ?? 0) & 0x3f : 0;
  const sampleCount = (frameSamples ?? 0) * frameCount;
  if (start === end || sampleCount === 0 || sampleCount > MAX_PACKET_SAMPLES) {
    throw new CopyNotPossibleError('an Opus packet of impossible length');
  }
  return sampleCount;
}

/** No vendor, no comments. */
function createEmptyComment(): Buffer {
  return Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
}
