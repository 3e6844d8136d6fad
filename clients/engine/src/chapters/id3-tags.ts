/**
 * The positions of ID3v2 tags: before any stream, in chunks of RIFF and AIFF files, and after the audio of
 * DSF. Files with several tags are rare; for each item, the first tag that contains it is used.
 */
import { id3v2Bytes } from '../copy/tags/id3v2.ts';
import { MAX_ID3_BYTES } from '../sniff/sniff.ts';
import type { FileBytes } from './file-bytes.ts';
import { createChapterCollector } from './id3-chapters.ts';
import { id3Version, readTagFrames } from './id3-frames.ts';
import type { SourceChapter } from './source-chapters.ts';
import { afterZero, decodeId3Text } from './text-decoding.ts';

export interface Id3Content {
  readonly chapters: readonly SourceChapter[];
  /** The text of a user-defined field of that name. */
  readonly cueSheet: string | undefined;
}

const HEADER_BYTES = 10;
const MAX_LEADING_TAGS = 100;
/** Real files have a handful, those of some recorders a hundred. */
const MAX_CHUNKS = 500;
const CHUNK_HEADER_BYTES = 8;
const FORM_HEADER_BYTES = 12;
const DSF_HEADER_BYTES = 28;
/** Stated in a file that was written to a pipe. */
const UNKNOWN_SIZE = 0xffffffff;

/** `endsAt` is the beginning of the stream after the tags. */
export async function readLeadingTags(
  bytes: FileBytes,
): Promise<{ readonly tags: readonly Buffer[]; readonly endsAt: number }> {
  const tags: Buffer[] = [];
  let endsAt = 0;
  while (tags.length < MAX_LEADING_TAGS && endsAt < MAX_ID3_BYTES) {
    const sizeBytes = id3v2Bytes(await bytes.head(endsAt, HEADER_BYTES), 0);
    if (sizeBytes === 0) break;
    tags.push(await bytes.head(endsAt, Math.min(sizeBytes, MAX_ID3_BYTES)));
    endsAt += sizeBytes;
  }
  return { tags, endsAt };
}

/** The tag inside the file that begins at `start`, if its kind has a place for one. */
export async function readInnerTag(bytes: FileBytes, start: number): Promise<Buffer | undefined> {
  switch ((await bytes.head(start, 4)).toString('latin1')) {
    case 'RIFF':
    case 'RF64':
      return readChunkTag(bytes, start, false);
    case 'RIFX':
    case 'FORM':
      return readChunkTag(bytes, start, true);
    case 'DSD ':
      return readDsfTag(bytes, start);
    default:
      return undefined;
  }
}

/** The header of Sony's DSF states where the tag begins; it extends to the end. */
async function readDsfTag(bytes: FileBytes, start: number): Promise<Buffer | undefined> {
  const header = await bytes.head(start, DSF_HEADER_BYTES);
  if (header.length < DSF_HEADER_BYTES) return undefined;
  return bytes.head(start + Number(header.readBigUInt64LE(20)), MAX_ID3_BYTES);
}

async function readChunkTag(
  bytes: FileBytes,
  start: number,
  isBigEndian: boolean,
): Promise<Buffer | undefined> {
  let longDataBytes: number | undefined;
  let at = start + FORM_HEADER_BYTES;
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const header = await bytes.head(at, CHUNK_HEADER_BYTES);
    if (header.length < CHUNK_HEADER_BYTES) return undefined;
    const id = header.toString('latin1', 0, 4);
    const stated = isBigEndian ? header.readUInt32BE(4) : header.readUInt32LE(4);
    const bodyAt = at + CHUNK_HEADER_BYTES;
    if (id.toLowerCase() === 'id3 ') {
      return stated > MAX_ID3_BYTES ? undefined : bytes.head(bodyAt, stated);
    }
    // RF64 (EBU Tech 3306): the lengths of the file and of its samples in 64 bits.
    if (id === 'ds64') longDataBytes = await readLongDataBytes(bytes, bodyAt);
    const bodyBytes = id === 'data' && stated === UNKNOWN_SIZE ? longDataBytes : stated;
    if (bodyBytes === undefined) return undefined;
    at = bodyAt + bodyBytes + (bodyBytes % 2);
  }
  return undefined;
}

async function readLongDataBytes(bytes: FileBytes, bodyAt: number): Promise<number | undefined> {
  const lengths = await bytes.head(bodyAt, 16);
  return lengths.length < 16 ? undefined : Number(lengths.readBigUInt64LE(8));
}

export function readId3Content(tag: Buffer): Id3Content {
  const version = id3v2Bytes(tag, 0) === 0 ? undefined : id3Version(tag);
  if (version === undefined) return { chapters: [], cueSheet: undefined };
  const collector = createChapterCollector(version);
  let cueSheet: string | undefined;
  for (const { id, body } of readTagFrames(tag)) {
    if (id === 'CHAP' || id === 'CTOC') collector.add(id, body);
    else if (id === 'TXXX') cueSheet ??= readCueSheet(body);
  }
  return { chapters: collector.chapters(), cueSheet };
}

/** A name and a value of one encoding. */
function readCueSheet(body: Buffer): string | undefined {
  const [encoding] = body;
  const fields = body.subarray(1);
  const valueAt = afterZero(encoding, fields);
  if (valueAt === undefined) return undefined;
  const name = decodeId3Text(encoding, fields.subarray(0, valueAt));
  return name.toLowerCase() === 'cuesheet' ? decodeId3Text(encoding, fields.subarray(valueAt)) : undefined;
}
