/**
 * Finds a FLAC frame near a time without walking to it: frames contain their number, so each read shows where
 * to search next. A frame is accepted if another one follows and its checksum is correct.
 */
import type { LocalFile } from '../../source/local-file.ts';
import { readPart } from '../../source/read-part.ts';
import { createPlaceSearch, type PlaceSearch, type SourcePlace } from '../source/place-search.ts';
import { crc16 } from './coding/crc.ts';
import { type FlacFrameHeader, MAX_HEADER_BYTES, readFrameHeader } from './frame-header.ts';
import type { FlacHead } from './stream-head.ts';
import { follows, maxFrameBytesOf, syncOf } from './walker.ts';

/** The minimum that is fetched at once. */
const MIN_LOOK_BYTES = 256 * 1024;
/**
 * Bytes that only look like a frame are very rare. If there are more, the search is given up, because it
 * would be slow.
 */
const MAX_FALSE_FRAMES = 4;

interface FrameSearchOptions {
  /** The position of the first frame in the source. */
  readonly start: number;
  /** How much is read per position. */
  readonly lookBytes?: number;
}

export function createFrameSearch(
  file: LocalFile,
  head: FlacHead,
  { start, lookBytes = Math.max(MIN_LOOK_BYTES, 3 * maxFrameBytesOf(head)) }: FrameSearchOptions,
): PlaceSearch {
  let first: FlacFrameHeader | undefined;

  async function look(position: number): Promise<SourcePlace | undefined> {
    first ??= readFrameHeader(await readPart(file, start, MAX_HEADER_BYTES), 0);
    if (first === undefined) return undefined;
    const found = findFrame(await readPart(file, position, lookBytes), first);
    if (found === undefined) return undefined;
    return {
      position: position + found.at,
      sample: firstSample(found.header, first) - firstSample(first, first),
    };
  }

  const end = { position: file.sizeBytes, sample: head.statedSamples };
  return createPlaceSearch({ lookBytes, look, findEnd: async () => end });
}

function firstSample({ codedNumber, hasVariableBlocks }: FlacFrameHeader, like: FlacFrameHeader): number {
  return hasVariableBlocks ? codedNumber : codedNumber * like.blockSamples;
}

function findFrame(
  window: Buffer,
  like: FlacFrameHeader,
): { readonly at: number; readonly header: FlacFrameHeader } | undefined {
  const sync = syncOf(like);
  let falseFrames = 0;
  for (let at = window.indexOf(sync); at >= 0; at = window.indexOf(sync, at + 1)) {
    const header = readFrameHeader(window, at);
    if (header === undefined || !isLike(header, like)) continue;
    if (isWhole(window, at, header)) return { at, header };
    falseFrames += 1;
    if (falseFrames === MAX_FALSE_FRAMES) break;
  }
  return undefined;
}

function isLike(header: FlacFrameHeader, like: FlacFrameHeader): boolean {
  return (
    header.hasVariableBlocks === like.hasVariableBlocks &&
    header.channelCount === like.channelCount &&
    header.sampleRateHz === like.sampleRateHz &&
    header.bitDepthCode === like.bitDepthCode &&
    (header.hasVariableBlocks || header.blockSamples === like.blockSamples)
  );
}

/** Up to the next frame. */
function isWhole(window: Buffer, at: number, header: FlacFrameHeader): boolean {
  const sync = syncOf(header);
  for (
    let end = window.indexOf(sync, at + header.headerBytes);
    end >= 0;
    end = window.indexOf(sync, end + 1)
  ) {
    const next = readFrameHeader(window, end);
    if (next !== undefined && follows(next, header)) return crc16(window, at, end) === 0;
  }
  return false;
}
