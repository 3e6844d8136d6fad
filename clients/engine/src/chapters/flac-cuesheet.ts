/**
 * The body of a CUESHEET block (RFC 9639 8.6). Positions are samples. A track begins at its index point 1;
 * index point 0 is the pause before it. The last track is the lead-out. There are no titles.
 */
import type { SourceChapter } from './source-chapters.ts';

const HEADER_BYTES = 396;
const TRACK_COUNT_AT = HEADER_BYTES - 1;
const TRACK_BYTES = 36;
const POINT_COUNT_AT = TRACK_BYTES - 1;
const POINT_BYTES = 12;
const NOT_AUDIO_FLAG = 0x80;
/** For a CD, and for anything else. */
const LEAD_OUT_NUMBERS: ReadonlySet<number> = new Set([170, 255]);

export function readFlacCuesheet(body: Buffer, sampleRateHz: number): readonly SourceChapter[] {
  const chapters: SourceChapter[] = [];
  const trackCount = body[TRACK_COUNT_AT] ?? 0;
  let at = HEADER_BYTES;
  for (let index = 0; index < trackCount && at + TRACK_BYTES <= body.length; index++) {
    const track = body.subarray(at, at + TRACK_BYTES);
    const points = body.subarray(
      at + TRACK_BYTES,
      at + TRACK_BYTES + POINT_BYTES * track.readUInt8(POINT_COUNT_AT),
    );
    at += TRACK_BYTES + points.length;
    if (LEAD_OUT_NUMBERS.has(track.readUInt8(8)) || (track.readUInt8(21) & NOT_AUDIO_FLAG) !== 0) continue;
    const sample = Number(track.readBigUInt64BE(0)) + startPoint(points);
    chapters.push({ startSeconds: sample / sampleRateHz, title: undefined });
  }
  return chapters;
}

/** From the position of the track. */
function startPoint(points: Buffer): number {
  for (let at = 0; at + POINT_BYTES <= points.length; at += POINT_BYTES) {
    if (points.readUInt8(at + 8) === 1) return Number(points.readBigUInt64BE(at));
  }
  return 0;
}
