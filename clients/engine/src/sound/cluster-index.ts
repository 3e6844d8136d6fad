/**
 * The positions of the clusters of a Matroska, by the time of the first sample that a decoder returns when it
 * is fed from there.
 *
 * The index needs one walk over the elements' headers (RFC 9559), also for clusters of unknown length. A
 * cluster's time is that of its first block; for Vorbis that of the second, because the first packet only
 * overlaps. Times are rounded to milliseconds, and ffmpeg's seek adds up to 20 of them; decoding from a
 * cluster does not. Only for codecs that are copied: packets of other codecs may depend on earlier ones.
 */
import { leadingAudioTrack } from '../copy/matroska/audio-track.ts';
import {
  type ElementHeader,
  findElement,
  MAX_ELEMENT_HEADER_BYTES,
  readElementHeader,
  readUnsigned,
  readVint,
} from '../copy/matroska/ebml.ts';
import {
  BLOCK,
  BLOCK_GROUP,
  CLUSTER,
  INFO,
  SEGMENT,
  SIMPLE_BLOCK,
  TIMESTAMP,
} from '../copy/matroska/elements.ts';
import { type ByteReader, openByteReader } from '../copy/source/byte-reader.ts';
import { unsupportedMedia } from '../media-error.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';
import { createFrameIndex, type FrameIndex, type FramePlace } from './frame-places.ts';

/** The maximum position of the tracks. */
const MAX_HEAD_BYTES = 64 * 1024;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DEFAULT_SCALE_NS = 1_000_000;
const NANOSECONDS = 1e9;
/** More than a group contains before its block's samples. */
const BLOCK_START_BYTES = 64;
/** The number of the block in a cluster with which a decoder begins to return samples. */
const SOUNDING_BLOCK: ReadonlyMap<string, number> = new Map([
  ['A_OPUS', 0],
  ['A_FLAC', 0],
  ['A_VORBIS', 1],
]);

/** Throws UNSUPPORTED_MEDIA if the file cannot be walked in this way. */
export async function readClusterIndex(file: LocalFile, signal: AbortSignal): Promise<FrameIndex> {
  const { chunks, memory } = createLocalFileReader(file);
  await using reader = openByteReader(chunks(), { signal, memory, onBytes: () => undefined });
  await reader.fill(MAX_HEAD_BYTES);
  const track = leadingAudioTrack(reader.window);
  const soundingBlock = track && SOUNDING_BLOCK.get(track.codecId);
  if (track === undefined || soundingBlock === undefined)
    throw unsupportedMedia('It has no track to look for.');
  const places: FramePlace[] = [];
  let scaleSeconds = DEFAULT_SCALE_NS / NANOSECONDS;
  let headBytes = 0;
  let clusterAt: number | undefined;
  let clusterTicks = 0;
  let blocks = 0;
  let lastSeconds = 0;

  function noteBlock(element: Buffer, header: ElementHeader): void {
    const body = element.subarray(header.headerBytes);
    const inner = header.id === BLOCK_GROUP ? readElementHeader(body, 0) : undefined;
    // A group whose block does not come first shows no time here; the next one will.
    if (header.id === BLOCK_GROUP && inner?.id !== BLOCK) return;
    const block = inner === undefined ? body : body.subarray(inner.headerBytes);
    const number = readVint(block, 0);
    if (number?.value !== track?.number || number === undefined || number.byteCount + 2 > block.length)
      return;
    lastSeconds = (clusterTicks + block.readInt16BE(number.byteCount)) * scaleSeconds;
    if (clusterAt !== undefined && blocks === soundingBlock)
      places.push({ seconds: places.length === 0 ? 0 : lastSeconds, byte: clusterAt });
    blocks += 1;
  }

  for (;;) {
    const header = await nextHeader(reader);
    if (header === undefined) break;
    const { id, headerBytes, bodyBytes } = header;
    if (id === CLUSTER) {
      if (clusterAt === undefined) headBytes = reader.position;
      clusterAt = reader.position;
      blocks = 0;
      reader.releaseBefore(clusterAt);
    }
    if (id === CLUSTER || id === SEGMENT) {
      reader.consume(headerBytes);
      continue;
    }
    if (bodyBytes === Number.POSITIVE_INFINITY) throw unsupportedMedia('An element has no end.');
    if (id === TIMESTAMP) clusterTicks = readUnsigned(await bodyOf(reader, header)) ?? 0;
    else if (id === INFO) scaleSeconds = scaleOf(await bodyOf(reader, header));
    else if (id === SIMPLE_BLOCK || id === BLOCK_GROUP) {
      if (reader.window.length < BLOCK_START_BYTES) await reader.fill(BLOCK_START_BYTES);
      noteBlock(reader.window.subarray(0, Math.min(BLOCK_START_BYTES, headerBytes + bodyBytes)), header);
    }
    const totalBytes = headerBytes + bodyBytes;
    if (totalBytes <= reader.window.length) reader.consume(totalBytes);
    else if (!(await reader.skip(totalBytes))) break;
  }
  places.push({ seconds: lastSeconds, byte: file.sizeBytes });
  return createFrameIndex(places, headBytes);
}

async function nextHeader(reader: ByteReader): Promise<ElementHeader | undefined> {
  if (reader.window.length < MAX_ELEMENT_HEADER_BYTES) {
    reader.releaseBefore(reader.position);
    await reader.fill(MAX_ELEMENT_HEADER_BYTES);
  }
  return readElementHeader(reader.window, 0);
}

/** The bytes left in the window. */
async function bodyOf(reader: ByteReader, { headerBytes, bodyBytes }: ElementHeader): Promise<Buffer> {
  if (bodyBytes > MAX_HEAD_BYTES) throw unsupportedMedia('An element is too large.');
  await reader.fill(headerBytes + bodyBytes);
  return reader.window.subarray(headerBytes, headerBytes + bodyBytes);
}

function scaleOf(info: Buffer): number {
  const ns = readUnsigned(findElement(info, TIMESTAMP_SCALE)) ?? DEFAULT_SCALE_NS;
  return ns / NANOSECONDS;
}
