import { CopyNotPossibleError } from '../copy-contract.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import type { Timed } from '../source/look-ahead.ts';
import { crc16 } from './coding/crc.ts';
import { type FlacFrameHeader, MAX_HEADER_BYTES, readFrameHeader } from './frame-header.ts';
import type { FlacHead } from './stream-head.ts';

/**
 * Finds the frames of a FLAC stream without decoding them.
 *
 * Frames contain no length: a frame ends where the next begins. The next frame is recognised by a header with
 * a correct checksum, the stream's format and the expected number; accidental matches are practically
 * impossible. The last frame must match its own CRC-16, otherwise it was cut short and is dropped. The copy
 * is impossible if there is a gap in the numbers, a change of format, a short block in the middle of a stream
 * of equal ones, or a frame of implausible size.
 */
export interface FlacFrame extends Timed {
  /** Its bytes are those from `start` to `end` in this buffer. */
  readonly window: Buffer;
  readonly start: number;
  readonly end: number;
  readonly header: FlacFrameHeader;
}

const ID3V1_BYTES = 128;

export async function* walkFlac(reader: ByteReader, head: FlacHead): AsyncGenerator<readonly FlacFrame[]> {
  const maxFrameBytes = maxFrameBytesOf(head);
  await reader.fill(MAX_HEADER_BYTES);
  let header = readFrameHeader(reader.window, 0);
  if (header === undefined) {
    if (reader.window.length === 0) return;
    throw new CopyNotPossibleError('no FLAC frame where the first one should be');
  }
  if (!fits(header, head)) throw new CopyNotPossibleError('the first FLAC frame contradicts STREAMINFO');

  const sync = syncOf(header);
  const gridSamples = header.blockSamples;
  let scannedBytes = header.headerBytes;
  for (;;) {
    const { window, ended } = reader;
    const frames: FlacFrame[] = [];
    let start = 0;
    let at = scannedBytes;
    const scanEnd = window.length - (ended ? 1 : MAX_HEADER_BYTES);
    for (;;) {
      at = window.indexOf(sync, at);
      if (at < 0 || at > scanEnd) break;
      const next = readFrameHeader(window, at);
      if (next === undefined || !follows(next, header)) {
        at += 1;
        continue;
      }
      if (!header.hasVariableBlocks && header.blockSamples !== gridSamples) {
        throw new CopyNotPossibleError('a FLAC block of another size in a stream of equal ones');
      }
      frames.push({ window, start, end: at, header, sampleCount: header.blockSamples });
      start = at;
      header = next;
      at += header.headerBytes;
    }
    scannedBytes = Math.max(header.headerBytes, (at < 0 ? scanEnd + 1 : at) - start);
    reader.consume(start);
    if (frames.length > 0) yield frames;
    if (reader.window.length > maxFrameBytes) throw new CopyNotPossibleError('a FLAC frame does not end');
    if (ended) break;
    await reader.fill(reader.window.length + 1);
  }
  const { window } = reader;
  const end = lastFrameEnd(window);
  await reader.drain();
  if (end > 0) yield [{ window, start: 0, end, header, sampleCount: header.blockSamples }];
}

function fits(header: FlacFrameHeader, head: FlacHead): boolean {
  return (
    header.channelCount === head.channelCount &&
    (header.sampleRateHz ?? head.sampleRateHz) === head.sampleRateHz &&
    (header.bitsPerSample ?? head.bitsPerSample) === head.bitsPerSample
  );
}

/** For a stream whose frames are like that one. */
export function syncOf({ hasVariableBlocks }: FlacFrameHeader): Buffer {
  return Buffer.of(0xff, hasVariableBlocks ? 0xf9 : 0xf8);
}

export function follows(next: FlacFrameHeader, header: FlacFrameHeader): boolean {
  const step = header.hasVariableBlocks ? header.blockSamples : 1;
  return (
    next.codedNumber === header.codedNumber + step &&
    next.hasVariableBlocks === header.hasVariableBlocks &&
    next.channelCount === header.channelCount &&
    next.sampleRateHz === header.sampleRateHz &&
    next.bitDepthCode === header.bitDepthCode
  );
}

/**
 * 0 if the last frame was cut short. A CRC-16 over a message and its own checksum is 0. Some taggers leave an
 * ID3v1 tag after the stream.
 */
function lastFrameEnd(rest: Buffer): number {
  if (crc16(rest) === 0) return rest.length;
  const tagAt = rest.length - ID3V1_BYTES;
  if (tagAt <= 0 || rest.toString('latin1', tagAt, tagAt + 3) !== 'TAG') return 0;
  return crc16(rest, 0, tagAt) === 0 ? tagAt : 0;
}

/** Twice the size of uncompressed samples: encoders never exceed those by more than a few bytes. */
export function maxFrameBytesOf(head: FlacHead): number {
  return 1024 + 2 * Math.ceil((head.maxBlockSamples * head.channelCount * (head.bitsPerSample + 1)) / 8);
}
