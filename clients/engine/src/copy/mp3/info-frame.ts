import { createSilentFrame, HEADER_BYTES, type Mp3FrameHeader } from './frame-header.ts';
import type { SeekPoint } from './seek-table.ts';

/**
 * The first frame of an mp3 file. It is silent and contains the Xing header (frame count, byte count, seek
 * table) and the LAME extension with the values for gapless playback: encoder delay and padding.
 *
 * Layout after the side information: "Xing" | "Info", flags, frames, bytes, 100 seek points, quality, then 36
 * bytes of LAME tag that end with a CRC-16 over everything before it.
 */
export interface InfoFrame {
  /** The number of frames that follow; undefined if the header does not state it. */
  readonly frameCount: number | undefined;
  /** From this frame's first byte to the end of the audio; undefined if the header does not state it. */
  readonly byteCount: number | undefined;
  /** Present only with a LAME tag (by LAME, Lavc or Lavf) that extends at least to these values. */
  readonly gapless: { readonly delaySamples: number; readonly paddingSamples: number } | undefined;
  /** The source's LAME tag, whose encoder name, gain and preset are kept; undefined if it is incomplete. */
  readonly lameTag: Buffer | undefined;
}

/** Added by every decoder to the encoder's delay (LAME tag specification: 528 + 1). */
export const DECODER_DELAY_SAMPLES = 529;

const FRAME_COUNT_FLAG = 1;
const BYTE_COUNT_FLAG = 2;
const SEEK_TABLE_FLAG = 4;
const QUALITY_FLAG = 8;
const SEEK_POINTS = 100;
const XING_BYTES = 4 + 4 + 4 + 4 + SEEK_POINTS + 4;
const LAME_BYTES = 36;
const LAME_DELAY_AT = 21;
const LAME_DELAY_END = 24;
const LAME_MUSIC_LENGTH_AT = 28;
const LAME_CRC_AT = 34;
const LAME_WRITERS = ['LAME', 'Lavc', 'Lavf'];
const DEFAULT_LAME_VERSION = 'LAME3.100';
const VBRI_AT = HEADER_BYTES + 32;

/** Reads the info frame at the start of `frame`; undefined if it is an ordinary one. */
export function readInfoFrame(frame: Buffer, header: Mp3FrameHeader): InfoFrame | undefined {
  const start = HEADER_BYTES + header.sideInfoBytes;
  const magic = frame.toString('latin1', start, start + 4);
  if (magic !== 'Xing' && magic !== 'Info') {
    const isVbri = frame.toString('latin1', VBRI_AT, VBRI_AT + 4) === 'VBRI';
    const nothing = { frameCount: undefined, byteCount: undefined, gapless: undefined, lameTag: undefined };
    return isVbri ? nothing : undefined;
  }
  if (start + 8 > frame.length) return undefined;
  const flags = frame.readUInt32BE(start + 4);
  let at = start + 8;
  let frameCount: number | undefined;
  if (flags & FRAME_COUNT_FLAG) {
    if (at + 4 > frame.length) return undefined;
    frameCount = frame.readUInt32BE(at);
    at += 4;
  }
  let byteCount: number | undefined;
  if (flags & BYTE_COUNT_FLAG) {
    if (at + 4 <= frame.length) byteCount = frame.readUInt32BE(at);
    at += 4;
  }
  if (flags & SEEK_TABLE_FLAG) at += SEEK_POINTS;
  if (flags & QUALITY_FLAG) at += 4;
  const tag = Buffer.from(frame.subarray(at, at + LAME_BYTES));
  // Lavf 55 and before choose the smallest frame that holds the tag up to the delay and the padding.
  const isLame = tag.length >= LAME_DELAY_END && LAME_WRITERS.includes(tag.toString('latin1', 0, 4));
  if (!isLame) return { frameCount, byteCount, gapless: undefined, lameTag: undefined };
  const packed = tag.readUIntBE(LAME_DELAY_AT, 3);
  const gapless = { delaySamples: packed >> 12, paddingSamples: packed & 0xfff };
  return { frameCount, byteCount, gapless, lameTag: tag.length === LAME_BYTES ? tag : undefined };
}

/** The number of samples in the last frames after the end. */
export function declaredTrim(info: InfoFrame | undefined): number {
  if (info?.gapless === undefined) return 0;
  return Math.max(0, info.gapless.paddingSamples - DECODER_DELAY_SAMPLES);
}

/** The number of audible samples according to the frame; undefined if it does not state it. */
export function declaredSamples(
  info: InfoFrame,
  { samplesPerFrame }: Pick<Mp3FrameHeader, 'samplesPerFrame'>,
): number | undefined {
  if (info.frameCount === undefined) return undefined;
  const skipped = info.gapless === undefined ? 0 : info.gapless.delaySamples + DECODER_DELAY_SAMPLES;
  return info.frameCount * samplesPerFrame - skipped - declaredTrim(info);
}

interface InfoFrameFields {
  readonly isVariableBitrate: boolean;
  readonly frameCount: number;
  /** From the info frame's first byte to the end of the audio. */
  readonly audioBytes: number;
  readonly delaySamples: number;
  readonly paddingSamples: number;
  readonly seekPoints: readonly SeekPoint[];
}

/** An empty info frame for a file whose frames are like `like`; its size depends on nothing else. */
export function reserveInfoFrame(like: Mp3FrameHeader): Buffer {
  return createSilentFrame(like, XING_BYTES + LAME_BYTES);
}

export function createInfoFrame(
  like: Mp3FrameHeader,
  lameTag: Buffer | undefined,
  fields: InfoFrameFields,
): Buffer {
  const frame = reserveInfoFrame(like);
  const start = HEADER_BYTES + like.sideInfoBytes;
  frame.write(fields.isVariableBitrate ? 'Xing' : 'Info', start, 'latin1');
  frame.writeUInt32BE(FRAME_COUNT_FLAG | BYTE_COUNT_FLAG | SEEK_TABLE_FLAG | QUALITY_FLAG, start + 4);
  frame.writeUInt32BE(fields.frameCount, start + 8);
  frame.writeUInt32BE(Math.min(fields.audioBytes, 0xffffffff), start + 12);
  writeSeekPoints(frame, start + 16, fields);

  const lame = start + XING_BYTES;
  if (lameTag === undefined) frame.write(DEFAULT_LAME_VERSION, lame, 'latin1');
  else lameTag.copy(frame, lame);
  frame.writeUIntBE((fields.delaySamples << 12) | fields.paddingSamples, lame + LAME_DELAY_AT, 3);
  frame.writeUInt32BE(Math.min(fields.audioBytes, 0xffffffff), lame + LAME_MUSIC_LENGTH_AT);
  // The CRC of the music stays zero: the source's no longer matches, and no decoder checks it.
  frame.writeUInt16BE(0, lame + LAME_MUSIC_LENGTH_AT + 4);
  frame.writeUInt16BE(crc16(frame.subarray(0, lame + LAME_CRC_AT)), lame + LAME_CRC_AT);
  return frame;
}

/** Changes the padding in an info frame that has all Xing fields. Throws if its LAME tag is cut short. */
export function restatePadding(frame: Buffer, header: Mp3FrameHeader, paddingSamples: number): void {
  const lame = HEADER_BYTES + header.sideInfoBytes + XING_BYTES;
  if (frame.length < lame + LAME_CRC_AT + 2) throw new Error('an mp3 without a complete info frame');
  const delayAndPadding = frame.readUIntBE(lame + LAME_DELAY_AT, 3);
  frame.writeUIntBE((delayAndPadding & 0xfff000) | paddingSamples, lame + LAME_DELAY_AT, 3);
  frame.writeUInt16BE(crc16(frame.subarray(0, lame + LAME_CRC_AT)), lame + LAME_CRC_AT);
}

function writeSeekPoints(frame: Buffer, at: number, fields: InfoFrameFields): void {
  let nearest = 0;
  for (let percent = 0; percent < SEEK_POINTS; percent++) {
    const wanted = (percent * fields.frameCount) / SEEK_POINTS;
    while ((fields.seekPoints[nearest + 1]?.frameIndex ?? Number.POSITIVE_INFINITY) <= wanted) nearest += 1;
    const offset = fields.seekPoints[nearest]?.byteOffset ?? 0;
    frame[at + percent] = Math.min(255, Math.floor((offset * 256) / fields.audioBytes));
  }
}

/** CRC-16/ARC: polynomial 0x8005 reflected, initial value 0, as the LAME tag requires. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return crc;
}
