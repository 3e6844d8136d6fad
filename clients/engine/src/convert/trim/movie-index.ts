/**
 * The index (`moov` box) of an MP4: its position, and checks for what no decoder should have to process.
 *
 * ffmpeg trusts the tables of an index. With thousands of edits, each of which it plays from a whole frame
 * on, seconds become minutes, at a cost that grows with them. With frames that last no time, or days, only
 * one frame remains. The intended audio of such a source is unknown, so it is refused. The search examines a
 * bounded number of boxes, because an index comes after a handful of others, and each box far from the last
 * costs a read.
 */
import { findBox, MAX_BOX_HEADER_BYTES, readBoxes, readBoxHeader } from '../../copy/m4a/boxes.ts';
import { MediaError } from '../../media-error.ts';
import type { SourceBytes } from '../input/source-bytes.ts';

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const MAX_TOP_LEVEL_BOXES = 1_000;
const WINDOW_BYTES = 4_096;

/**
 * The body of the `moov` box, wherever it is; undefined if there is none within the bounds. `start` is the
 * position of the first box.
 */
export async function findMoov(source: SourceBytes, start = 0): Promise<Buffer | undefined> {
  return (await locateMoov(source, start))?.body;
}

/** The same with its position in the source. */
export async function locateMoov(
  source: SourceBytes,
  start = 0,
): Promise<{ readonly start: number; readonly body: Buffer } | undefined> {
  let window: Buffer = Buffer.alloc(0);
  let windowStart = 0;
  let at = start;
  for (let box = 0; box < MAX_TOP_LEVEL_BOXES && Number.isSafeInteger(at); box += 1) {
    if (at + MAX_BOX_HEADER_BYTES > windowStart + window.length) {
      window = await source.head(at, WINDOW_BYTES);
      windowStart = at;
    }
    const header = readBoxHeader(window, at - windowStart);
    if (header === undefined) return undefined;
    if (header.type === 'moov') {
      const endless = header.sizeBytes === Number.POSITIVE_INFINITY;
      if (!endless && header.sizeBytes > MAX_INDEX_BYTES) return undefined;
      const sizeBytes = endless ? MAX_INDEX_BYTES : header.sizeBytes;
      const start = at + header.headerBytes;
      return { start, body: await source.head(start, sizeBytes - header.headerBytes) };
    }
    at += header.sizeBytes;
  }
  return undefined;
}

/** The end of a `moov` box that precedes the media; undefined if `head` contains none. */
export function leadingIndexEnd(head: Buffer): number | undefined {
  for (let at = 0; ; ) {
    const header = readBoxHeader(head, at);
    if (header === undefined || header.type === 'mdat') return undefined;
    at += header.sizeBytes;
    if (header.type === 'moov') return at;
  }
}

/** For all tracks together. Editors leave a handful. */
const MAX_EDITS = 256;
const EDIT_BYTES = 12;
/** Its length and type, version and flags, and the number of edits. */
const EDIT_LIST_HEAD_BYTES = 16;
/** No codec has longer frames. */
const MAX_FRAME_SECONDS = 3_600;

/** Throws UNSUPPORTED_MEDIA if the index makes no sense. */
export function refuseOddMovie(moov: Buffer): void {
  if (countEdits(moov) > MAX_EDITS) throw oddMovie('too many edits');
  for (const { type, body } of readBoxes(moov)) {
    if (type === 'trak' && isAudioTrack(body)) refuseOddTimes(body);
  }
}

/**
 * Counted by the size of edit lists, wherever they are: ffmpeg also reads them in places where they do not
 * belong.
 */
function countEdits(moov: Buffer): number {
  let editCount = 0;
  for (let at = moov.indexOf('elst', 4); at >= 0; at = moov.indexOf('elst', at + 1)) {
    const sizeBytes = moov.readUInt32BE(at - 4);
    // Otherwise these four letters are part of something else.
    if (sizeBytes < EDIT_LIST_HEAD_BYTES || at - 4 + sizeBytes > moov.length) continue;
    editCount += Math.floor((sizeBytes - EDIT_LIST_HEAD_BYTES) / EDIT_BYTES);
  }
  return editCount;
}

function refuseOddTimes(trak: Buffer): void {
  const mdhd = findBox(trak, 'mdia', 'mdhd');
  const times = findBox(trak, 'mdia', 'minf', 'stbl', 'stts');
  if (mdhd === undefined || times === undefined || mdhd.length < 24 || times.length < 8) return;
  const ticksPerSecond = mdhd.readUInt32BE(mdhd[0] === 1 ? 20 : 12);
  if (ticksPerSecond === 0) throw oddMovie('its time stands still');
  const runCount = Math.min(times.readUInt32BE(4), Math.floor((times.length - 8) / 8));
  let frames = 0;
  let ticks = 0;
  for (let run = 0; run < runCount; run += 1) {
    const count = times.readUInt32BE(8 + 8 * run);
    frames += count;
    ticks += count * times.readUInt32BE(12 + 8 * run);
  }
  if (frames === 0) return;
  // A single frame may last no time, because nothing follows it.
  if (frames > 1 && ticks === 0) throw oddMovie('its frames take no time');
  if (ticks / frames / ticksPerSecond > MAX_FRAME_SECONDS) throw oddMovie('its frames take hours');
}

function oddMovie(reason: string): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', `The source's index makes no sense: ${reason}.`);
}

export function isAudioTrack(trak: Buffer): boolean {
  return findBox(trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12) === 'soun';
}
