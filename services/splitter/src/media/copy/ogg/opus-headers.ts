import { CopyNotPossibleError } from '../copy-contract.ts';
import { unsupportedMedia } from '../cut-rules.ts';
import { numberComments } from '../vorbis-comment.ts';
import type { OggCodec } from './stream-walker.ts';

/** Opus in Ogg (RFC 7845) counts time at 48 kHz, whatever the encoder was fed with. */
export const OPUS_RATE_HZ = 48_000;

export interface OpusHeaders {
  /** Samples at the start that decoders drop. */
  readonly preSkip: number;
  readonly identification: Buffer;
  /** As segment `number` (from 1 on) repeats it. */
  commentFor(number: number): Buffer;
}

const IDENTIFICATION_BYTES = 19;
const PRE_SKIP_AT = 10;
/** Behind `OpusTags`. */
const COMMENTS_AT = 8;
const MAX_PACKET_SAMPLES = 5760;
/** Samples of a frame by configuration (RFC 6716 3.1): SILK, hybrid, CELT. */
const SILK_FRAMES = [480, 960, 1920, 2880];
const HYBRID_FRAMES = [480, 960];
const CELT_FRAMES = [120, 240, 480, 960];

/** A comment header larger than `maxTagBytes` is replaced by an empty one. */
export function createOpusCodec(maxTagBytes: number): OggCodec<OpusHeaders> {
  return {
    name: 'Opus',
    headerPacketCount: 2,
    isIdentification,
    readHeaders([identification, comment]) {
      if (identification === undefined || comment?.toString('latin1', 0, 8) !== 'OpusTags') {
        throw unsupportedMedia('The Opus headers are not complete.');
      }
      const comments = comment.length <= maxTagBytes ? Buffer.from(comment) : createEmptyComment();
      return {
        preSkip: identification.readUInt16LE(PRE_SKIP_AT),
        identification: Buffer.from(identification),
        commentFor: (number) => numberComments(comments, COMMENTS_AT, number),
      };
    },
    createMeter: () => packetSamples,
  };
}

export function withPreSkip(identification: Buffer, preSkip: number): Buffer {
  const changed = Buffer.from(identification);
  changed.writeUInt16LE(preSkip, PRE_SKIP_AT);
  return changed;
}

function isIdentification(packet: Buffer): boolean {
  return packet.length >= IDENTIFICATION_BYTES && packet.toString('latin1', 0, 8) === 'OpusHead';
}

function packetSamples(packet: Buffer): number {
  const contents = packet[0] ?? 0;
  const configuration = contents >> 3;
  const frameSamples =
    configuration < 12
      ? SILK_FRAMES[configuration & 3]
      : configuration < 16
        ? HYBRID_FRAMES[configuration & 1]
        : CELT_FRAMES[configuration & 3];
  const code = contents & 3;
  const frameCount = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 0x3f;
  const sampleCount = (frameSamples ?? 0) * frameCount;
  if (packet.length === 0 || sampleCount === 0 || sampleCount > MAX_PACKET_SAMPLES) {
    throw new CopyNotPossibleError('an Opus packet of impossible length');
  }
  return sampleCount;
}

/** No vendor, no comments. */
function createEmptyComment(): Buffer {
  return Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
}
