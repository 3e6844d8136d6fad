/**
 * Recognises a source only by its first bytes: names and Content-Types are the sender's claims. Anything not
 * on the list is refused before a decoder reads it, above all playlists, because a media library opens the
 * files that a playlist names.
 *
 * Magic numbers come first. MPEG audio and ADTS have none, so they must show consecutive frame headers that
 * agree on version, layer and rate: two at the very start, four after junk (random bytes contain one header
 * every 16 KiB on average, but never four in a row).
 */
import { cafCodec } from '../copy/caf/chunks.ts';
import { matroskaCodec } from '../copy/matroska/audio-track.ts';
import type { SourceContainer } from '../formats/formats.ts';
import { MediaError } from '../media-error.ts';
import { describeNonAudio } from './describe-non-audio.ts';
import { mp4Tracks } from './mp4-codec.ts';
import { adtsFrameBytes, mpegFrame } from './mpeg-frames.ts';

export interface SniffedSource {
  readonly container: SourceContainer;
  /** Set if the first bytes show it: `vorbis`, `opus`, `flac`, `aac`, `alac`. */
  readonly codec?: string;
  /** An mp4 whose first bytes show pictures. */
  readonly hasPictures?: true;
}

/** Bytes that determine every format except one that follows a long ID3v2 tag. */
export const SNIFF_BYTES = 64 * 1024;
/**
 * Larger ID3v2 tags are refused: no player writes them, and the bytes before the audio are held in memory.
 */
export const MAX_ID3_BYTES = 16 * 1024 * 1024;

/** The number of the source's bytes that `sniff` needs, from its first ten bytes. */
export function bytesToSniff(head: Uint8Array): number {
  return Math.min(id3Bytes(head), MAX_ID3_BYTES) + SNIFF_BYTES;
}

/**
 * `head` is the source's beginning, at least `bytesToSniff` long or the whole source. Throws
 * UNSUPPORTED_MEDIA.
 */
export function sniff(head: Uint8Array): SniffedSource {
  const tagBytes = id3Bytes(head);
  if (tagBytes > MAX_ID3_BYTES || (tagBytes > 0 && tagBytes >= head.length)) {
    throw new MediaError(
      'UNSUPPORTED_MEDIA',
      'The source begins with an ID3 tag that is larger than a tag may be.',
    );
  }
  const body = head.subarray(tagBytes);
  const found = byMagic(body) ?? byFrames(body);
  if (found === undefined) throw new MediaError('UNSUPPORTED_MEDIA', describeNonAudio(body));
  return found;
}

/**
 * The length of all leading ID3v2 tags: header, body and footer (ID3v2.4 section 3.1; the size is syncsafe).
 */
function id3Bytes(head: Uint8Array): number {
  let total = 0;
  while (total <= MAX_ID3_BYTES && ascii(head, total, 3) === 'ID3') {
    const size = head.subarray(total + 6, total + 10);
    if (size.length < 4 || size.some((byte) => byte > 0x7f)) break;
    const footer = ((head[total + 5] ?? 0) & 0x10) === 0 ? 0 : 10;
    total += 10 + footer + size.reduce((value, byte) => value * 128 + byte, 0);
  }
  return total;
}

function byMagic(body: Uint8Array): SniffedSource | undefined {
  const first4 = ascii(body, 0, 4);
  switch (first4) {
    case 'RIFF':
    case 'RF64': {
      const form = ascii(body, 8, 4);
      if (form === 'WAVE') return { container: hasFormatLast(body) ? 'uncommon-wav' : 'wav' };
      return form === 'AVI ' ? { container: 'avi' } : undefined;
    }
    case 'RIFX':
      return ascii(body, 8, 4) === 'WAVE' ? { container: 'uncommon-wav' } : undefined;
    case 'fLaC':
      return { container: 'flac' };
    case 'OggS':
      return oggSource(body);
    case 'caff':
      return withCodec('caf', cafCodec(Buffer.from(body.buffer, body.byteOffset, body.length)));
    case 'wvpk':
      return { container: isUncommonWavpack(body) ? 'uncommon-wavpack' : 'wavpack' };
    case 'MAC ':
      return { container: 'ape' };
    case 'MPCK':
      return { container: 'musepack8' };
    case 'DSD ':
      return ascii(body, 28, 4) === 'fmt ' ? { container: 'dsf' } : undefined;
    case 'FRM8':
      return ascii(body, 12, 4) === 'DSD ' ? { container: 'dff' } : undefined;
    case '.snd':
      return isAu(body) ? { container: 'au' } : undefined;
    case 'TTA1':
      return { container: 'tta' };
    case 'FLV\u0001':
      return { container: 'flv' };
    case 'FORM': {
      const form = ascii(body, 8, 4);
      return form === 'AIFF' || form === 'AIFC' ? { container: 'aiff' } : undefined;
    }
    case '#!AM':
      return /^#!AMR(-WB)?\n/.test(ascii(body, 0, 9)) ? { container: 'amr' } : undefined;
    default:
  }
  // The version is the low half of the fourth byte; Stream version 7 is the last before `MPCK`.
  if (startsWith(body, [0x4d, 0x50, 0x2b]) && ((body[3] ?? 0) & 0x0f) === 7)
    return { container: 'musepack7' };
  if (startsWith(body, [0x1a, 0x45, 0xdf, 0xa3]))
    return withCodec('matroska', matroskaCodec(Buffer.from(body.buffer, body.byteOffset, body.length)));
  if (startsWith(body, [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11])) return { container: 'asf' };
  if (startsWith(body, [0x72, 0x69, 0x66, 0x66, 0x2e, 0x91, 0xcf, 0x11])) return { container: 'w64' };
  if (startsWith(body, [0x00, 0x00, 0x01, 0xba])) return { container: 'mpegps' };
  if (isMp4(body)) {
    const { codec, hasPictures } = mp4Tracks(body);
    return { ...withCodec('mp4', codec), ...(hasPictures ? { hasPictures: true } : {}) };
  }
  if (isTransportStream(body)) return { container: 'mpegts' };
  return undefined;
}

function withCodec(container: SourceContainer, codec: string | undefined): SniffedSource {
  return codec === undefined ? { container } : { container, codec };
}

/**
 * The first packet of the first page names the codec (RFC 3533 section 6; the lacing table ends the header).
 */
function oggSource(body: Uint8Array): SniffedSource {
  const packet = 27 + (body[26] ?? 0);
  if (ascii(body, packet, 8) === 'OpusHead') return { container: 'ogg', codec: 'opus' };
  if (ascii(body, packet, 7) === '\u0001vorbis') return { container: 'ogg', codec: 'vorbis' };
  if (ascii(body, packet, 5) === '\u007fFLAC') return { container: 'ogg', codec: 'flac' };
  return { container: 'ogg' };
}

/** Whether the data chunk comes before the fmt chunk. */
function hasFormatLast(body: Uint8Array): boolean {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  for (let at = 12; at + 8 <= body.length; ) {
    const id = ascii(body, at, 4);
    if (id === 'fmt ' || id === 'data') return id === 'data';
    const sizeBytes = view.getUint32(at + 4, true);
    at += 8 + sizeBytes + (sizeBytes % 2);
  }
  return false;
}

const WAVPACK_FLAGS_AT = 24;
const WAVPACK_FIRST_AND_LAST = 0x1800;
const WAVPACK_OTHER_RATE = 15;

/**
 * Whether the block's flags omit what its other fields state (WavPack 4 and 5 block format): the rate, or the
 * number of channels that the following blocks add to its own one or two.
 */
function isUncommonWavpack(body: Uint8Array): boolean {
  if (body.length < WAVPACK_FLAGS_AT + 4) return false;
  const flags = new DataView(body.buffer, body.byteOffset, body.length).getUint32(WAVPACK_FLAGS_AT, true);
  const isOneBlock = (flags & WAVPACK_FIRST_AND_LAST) === WAVPACK_FIRST_AND_LAST;
  return !isOneBlock || ((flags >>> 23) & 15) === WAVPACK_OTHER_RATE;
}

const AU_HEADER_BYTES = 24;

/**
 * The second word is the position of the audio. Annotations before it are a line of text. ffmpeg reads them
 * byte by byte up to that position even if the source ended long before: 8 s of CPU for a source of 100
 * bytes.
 */
function isAu(body: Uint8Array): boolean {
  if (body.length < AU_HEADER_BYTES) return false;
  const audioAt = new DataView(body.buffer, body.byteOffset, body.length).getUint32(4);
  return audioAt >= AU_HEADER_BYTES && audioAt <= SNIFF_BYTES;
}

const MP4_FIRST_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'wide', 'skip', 'pnot']);

function isMp4(body: Uint8Array): boolean {
  if (!MP4_FIRST_BOXES.has(ascii(body, 4, 4))) return false;
  const size = new DataView(body.buffer, body.byteOffset, body.length).getUint32(0);
  return size === 1 || size >= 8;
}

/** Packets of 188 bytes, with 4 bytes of time code before them in m2ts (ISO/IEC 13818-1 section 2.4.3). */
function isTransportStream(body: Uint8Array): boolean {
  const matches = (first: number, step: number): boolean =>
    [0, 1, 2, 3].every((packet) => body[first + packet * step] === 0x47);
  return matches(0, 188) || matches(4, 192);
}

const FRAMES_AT_START = 2;
const FRAMES_AFTER_JUNK = 4;

function byFrames(body: Uint8Array): SniffedSource | undefined {
  for (let offset = 0; offset + 6 < body.length; offset += 1) {
    if (body[offset] !== 0xff && body[offset] !== 0x0b) continue;
    const needed = offset === 0 ? FRAMES_AT_START : FRAMES_AFTER_JUNK;
    const layer = mpegRun(body, offset, needed);
    if (layer !== undefined) return { container: layer === 3 ? 'mp3' : 'mp2' };
    if (adtsRun(body, offset, needed)) return { container: 'adts', codec: 'aac' };
    if (offset === 0 && body[0] === 0x0b && body[1] === 0x77) return ac3Source(body);
  }
  return undefined;
}

/** The layer, if `needed` consecutive frames agree. */
function mpegRun(body: Uint8Array, start: number, needed: number): number | undefined {
  const first = mpegFrame(body, start);
  let offset = start;
  for (let count = 0; count < needed; count += 1) {
    const frame = mpegFrame(body, offset);
    if (frame === undefined || frame.kind !== first?.kind) return undefined;
    offset += frame.sizeBytes;
  }
  return first?.layer;
}

function adtsRun(body: Uint8Array, start: number, needed: number): boolean {
  let offset = start;
  for (let count = 0; count < needed; count += 1) {
    const size = adtsFrameBytes(body, offset);
    // The fixed header, rate included, is the same in every frame (ISO/IEC 13818-7 section 6.2.1).
    if (size === undefined || body[offset + 2] !== body[start + 2]) return false;
    offset += size;
  }
  return true;
}

/** bsid above 10 is E-AC-3 (ATSC A/52 annex E 2.1). */
function ac3Source(body: Uint8Array): SniffedSource {
  return { container: (body[5] ?? 0) >> 3 > 10 ? 'eac3' : 'ac3' };
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

function ascii(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}
