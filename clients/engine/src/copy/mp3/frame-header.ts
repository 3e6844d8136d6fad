import type { FrameMatcher } from '../frames/frame-sync.ts';

/**
 * MPEG audio Layer III frame headers (ISO/IEC 11172-3 2.4.1.3, 13818-3 2.4.1.3; MPEG-2.5 halves the rates
 * once more). Free-format frames have no length in their header and are not recognised as frames.
 */
export interface Mp3FrameHeader {
  readonly sizeBytes: number;
  readonly sampleRateHz: number;
  /** 1152 for MPEG-1, 576 for MPEG-2 and 2.5 ("low sampling frequencies"). */
  readonly samplesPerFrame: 1152 | 576;
  readonly channelCount: 1 | 2;
  readonly bitrateIndex: number;
  readonly hasCrc: boolean;
  readonly sideInfoBytes: number;
  /** The header's four bytes. */
  readonly bytes: readonly [number, number, number, number];
}

export const HEADER_BYTES = 4;
/** 320 kbit/s at 32 kHz with padding: 144 * 320000 / 32000 + 1. */
export const MAX_FRAME_BYTES = 1441;
const MAX_BITRATE_INDEX = 14;

const BITRATES_KBPS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_KBPS_LOW = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Of the second byte: all bits but the flag for "no checksum". */
const VERSION_AND_LAYER = 0xfe;
/** Of the third byte. */
const RATE = 0x0c;
/** Of the fourth byte: the two upper bits, the channel mode. */
const MONO = 0xc0;
const VERSION_MPEG1 = 3;
const VERSION_RESERVED = 1;
/** By the header's two version bits. */
const SAMPLE_RATES_HZ: Readonly<Record<number, readonly number[]>> = {
  3: [44100, 48000, 32000],
  2: [22050, 24000, 16000],
  0: [11025, 12000, 8000],
};

export function readFrameHeader(buffer: Buffer, offset: number): Mp3FrameHeader | undefined {
  const b0 = buffer[offset];
  const b1 = buffer[offset + 1];
  const b2 = buffer[offset + 2];
  const b3 = buffer[offset + 3];
  if (b0 !== 0xff || b1 === undefined || (b1 & 0xe6) !== 0xe2 || b2 === undefined || b3 === undefined)
    return undefined;
  const version = (b1 >> 3) & 3;
  const bitrateIndex = b2 >> 4;
  if (version === VERSION_RESERVED || bitrateIndex === 0 || bitrateIndex > MAX_BITRATE_INDEX)
    return undefined;
  const sampleRateHz = SAMPLE_RATES_HZ[version]?.[(b2 >> 2) & 3];
  if (sampleRateHz === undefined) return undefined;
  const isMpeg1 = version === VERSION_MPEG1;
  const isMono = b3 >> 6 === 3;
  return {
    sizeBytes: frameBytes(isMpeg1, bitrateIndex, sampleRateHz) + ((b2 >> 1) & 1),
    sampleRateHz,
    samplesPerFrame: isMpeg1 ? 1152 : 576,
    channelCount: isMono ? 1 : 2,
    bitrateIndex,
    hasCrc: (b1 & 1) === 0,
    sideInfoBytes: isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17,
    bytes: [b0, b1, b2, b3],
  };
}

/** Whether two frames can follow one another in one stream: same version, rate and channel count. */
export function belongTogether(a: Mp3FrameHeader, b: Mp3FrameHeader): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.channelCount === b.channelCount;
}

/** Recognises frames that belong together with `like`, by the bytes that must not change between them. */
export function createFrameMatcher(like: Mp3FrameHeader): FrameMatcher {
  const versionAndLayer = like.bytes[1] & VERSION_AND_LAYER;
  const isMono = like.channelCount === 1;
  const isMpeg1 = like.samplesPerFrame === 1152;
  // By the third byte: bitrate, rate and padding. 0 if it does not match.
  const sizes = new Uint16Array(256);
  for (let bitrateIndex = 1; bitrateIndex <= MAX_BITRATE_INDEX; bitrateIndex++) {
    const sizeBytes = frameBytes(isMpeg1, bitrateIndex, like.sampleRateHz);
    for (const flags of [0, 1, 2, 3]) {
      const thirdByte = (bitrateIndex << 4) | (like.bytes[2] & RATE) | flags;
      sizes[thirdByte] = sizeBytes + (flags >> 1);
    }
  }
  return {
    frameBytes(window, at) {
      if (at + HEADER_BYTES > window.length || window[at] !== 0xff) return 0;
      if (((window[at + 1] ?? 0) & VERSION_AND_LAYER) !== versionAndLayer) return 0;
      if ((window[at + 3] ?? 0) >= MONO !== isMono) return 0;
      return sizes[window[at + 2] ?? 0] ?? 0;
    },
    frameSamples: () => like.samplesPerFrame,
  };
}

/** Where the frame's own main data begins, counted from the frame's first byte. */
export function mainDataOffset(header: Mp3FrameHeader): number {
  return HEADER_BYTES + (header.hasCrc ? 2 : 0) + header.sideInfoBytes;
}

/** `main_data_begin`: how many bytes before this frame's own main data the decoder starts reading. */
export function readMainDataBegin(frame: Buffer, header: Mp3FrameHeader): number {
  const sideInfo = HEADER_BYTES + (header.hasCrc ? 2 : 0);
  const first = frame[sideInfo] ?? 0;
  return header.samplesPerFrame === 1152 ? (first << 1) | ((frame[sideInfo + 1] ?? 0) >> 7) : first;
}

/** The bitrate index of the frame at `at`. */
export function readBitrateIndex(window: Buffer, at: number): number {
  return (window[at + 2] ?? 0) >> 4;
}

/**
 * A zeroed frame of the smallest bitrate that has room for `payloadBytes` after the side information. Its
 * side information is zero, so it decodes to silence. The flags come from `like`, because decoders drop a
 * frame as junk if its copyright, original or emphasis bits differ from its neighbours'.
 */
export function createSilentFrame(like: Mp3FrameHeader, payloadBytes: number): Buffer {
  const isMpeg1 = like.samplesPerFrame === 1152;
  const needed = HEADER_BYTES + like.sideInfoBytes + payloadBytes;
  for (let bitrateIndex = 1; bitrateIndex <= MAX_BITRATE_INDEX; bitrateIndex++) {
    const sizeBytes = frameBytes(isMpeg1, bitrateIndex, like.sampleRateHz);
    if (sizeBytes < needed) continue;
    const frame = Buffer.alloc(sizeBytes);
    const [b0, b1, b2, b3] = like.bytes;
    frame.set([b0, b1 | 1, (bitrateIndex << 4) | (b2 & RATE), b3]);
    return frame;
  }
  throw new RangeError('no MPEG frame holds that many bytes');
}

/** The mean over many frames of that bitrate, padding included. */
export function meanFrameBytes({ samplesPerFrame, bitrateIndex, sampleRateHz }: Mp3FrameHeader): number {
  return exactFrameBytes(samplesPerFrame === 1152, bitrateIndex, sampleRateHz);
}

function frameBytes(isMpeg1: boolean, bitrateIndex: number, sampleRateHz: number): number {
  return Math.floor(exactFrameBytes(isMpeg1, bitrateIndex, sampleRateHz));
}

function exactFrameBytes(isMpeg1: boolean, bitrateIndex: number, sampleRateHz: number): number {
  const kbps = (isMpeg1 ? BITRATES_KBPS_MPEG1 : BITRATES_KBPS_LOW)[bitrateIndex] ?? 0;
  return ((isMpeg1 ? 144 : 72) * kbps * 1000) / sampleRateHz;
}
