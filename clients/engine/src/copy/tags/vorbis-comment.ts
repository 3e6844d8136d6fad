/**
 * Vorbis comments (Vorbis I section 5.2.1), as used by FLAC, Vorbis and Opus: a vendor string, a count, and
 * `NAME=value` entries, each preceded by its length in 32 bits, least significant byte first.
 */
import type { SegmentTags } from '../copy-contract.ts';
import { titleSuffix } from './segment-tags.ts';

const TRACK_NAMES: ReadonlySet<string> = new Set(['TRACKNUMBER', 'TRACK', 'TRACKTOTAL', 'TOTALTRACKS']);

/** They refer to times of the whole source (the Vorbis chapter extension, and cue sheets as a tag). */
const SOURCE_ONLY = /^(?:CHAPTER\d{3}(?:NAME|URL)?|CUESHEET)$/;

/** Real files have dozens; every segment walks through all of them. */
export const MAX_COMMENTS = 1_000;

/**
 * The packet whose comments begin at `at`, for segment `number`, which becomes the track number and follows
 * the title. Bytes after the comments are kept. A packet with contradictory comments is returned unchanged.
 */
export function numberComments(packet: Buffer, at: number, number: number): Buffer {
  const parsed = parseComments(packet.subarray(at));
  if (parsed === undefined) return packet;
  const { vendor, comments, rest } = parsed;
  const numbered = comments
    .filter((comment) => !TRACK_NAMES.has(nameOf(comment)))
    .map((comment) => (nameOf(comment) === 'TITLE' ? suffixed(comment, number) : comment));
  numbered.push(Buffer.from(`TRACKNUMBER=${number}`));
  return Buffer.concat([packet.subarray(0, at), serialise(vendor, numbered), rest]);
}

/**
 * The packet whose comments begin at `at`, with the title and the track of a segment and the source's other
 * comments; undefined if the comments are contradictory.
 */
export function retagComments(
  packet: Buffer,
  at: number,
  { title, track, trackCount }: SegmentTags,
): Buffer | undefined {
  const parsed = parseComments(packet.subarray(at));
  if (parsed === undefined) return undefined;
  const { vendor, comments, rest } = parsed;
  const kept = comments.filter(
    (comment) => !TRACK_NAMES.has(nameOf(comment)) && !SOURCE_ONLY.test(nameOf(comment)),
  );
  const titled =
    title === undefined
      ? kept.map((comment) => (nameOf(comment) === 'TITLE' ? suffixed(comment, track) : comment))
      : [Buffer.from(`TITLE=${title}`), ...kept.filter((comment) => nameOf(comment) !== 'TITLE')];
  const tracks = [`TRACKNUMBER=${track}`, `TRACKTOTAL=${trackCount}`].map((text) => Buffer.from(text));
  return Buffer.concat([packet.subarray(0, at), serialise(vendor, [...titled, ...tracks]), rest]);
}

function suffixed(title: Buffer, number: number): Buffer {
  return Buffer.concat([title, Buffer.from(titleSuffix(number))]);
}

interface ParsedComments {
  readonly vendor: Buffer;
  readonly comments: readonly Buffer[];
  readonly rest: Buffer;
}

function parseComments(list: Buffer): ParsedComments | undefined {
  let at = 0;
  function readUint32(): number | undefined {
    if (at + 4 > list.length) return undefined;
    at += 4;
    return list.readUInt32LE(at - 4);
  }
  function readText(): Buffer | undefined {
    const length = readUint32();
    if (length === undefined || at + length > list.length) return undefined;
    at += length;
    return list.subarray(at - length, at);
  }
  const vendor = readText();
  const count = readUint32();
  if (vendor === undefined || count === undefined || count > MAX_COMMENTS) return undefined;
  const comments: Buffer[] = [];
  while (comments.length < count) {
    const comment = readText();
    if (comment === undefined) return undefined;
    comments.push(comment);
  }
  return { vendor, comments, rest: list.subarray(at) };
}

function nameOf(comment: Buffer): string {
  return comment.toString('latin1', 0, Math.max(0, comment.indexOf('='))).toUpperCase();
}

function withLength(text: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text]);
}

/** Comments without a vendor. */
export function createComments(comments: readonly string[]): Buffer {
  return serialise(
    Buffer.alloc(0),
    comments.map((comment) => Buffer.from(comment)),
  );
}

function serialise(vendor: Buffer, comments: readonly Buffer[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(comments.length);
  return Buffer.concat([withLength(vendor), count, ...comments.map(withLength)]);
}
