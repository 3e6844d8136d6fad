import { CopyNotPossibleError } from '../copy-contract.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import { type MatroskaTrack, readAudioTrack } from './audio-track.ts';
import { blockFrames, blockTrack, MAX_BLOCK_HEAD_BYTES } from './block.ts';
import { type ElementHeader, findElement, MAX_ELEMENT_HEADER_BYTES, readElementHeader } from './ebml.ts';
import {
  BLOCK,
  BLOCK_GROUP,
  CLUSTER,
  DISCARD_PADDING,
  EBML_HEADER,
  INFO,
  PASSED_IN_CLUSTER,
  PASSED_IN_SEGMENT,
  SEGMENT,
  SIMPLE_BLOCK,
  TAGS,
  TRACKS,
} from './elements.ts';
import { type MatroskaTag, readInfoTitle, readTags, tagsOf } from './tags.ts';

interface MatroskaFrame {
  readonly bytes: Buffer;
  /** The duration at its end that is not audible. */
  readonly discardedSeconds: number;
}

export interface MatroskaAudio {
  readonly track: MatroskaTrack;
  /** The tags that precede the audio. */
  readonly tags: readonly (readonly [name: string, value: string])[];
  /** Views of the reader's memory, valid until the next frames are requested. */
  readonly frames: AsyncGenerator<readonly MatroskaFrame[]>;
}

/** Vorbis headers take some kilobytes; covers are stored elsewhere. */
const MAX_TRACKS_BYTES = 1024 * 1024;
/** For all elements with tags together; further ones are skipped. */
const MAX_TAGS_BYTES = 1024 * 1024;
/** For a block of the track; Opus and Vorbis take some kilobytes, FLAC up to some hundred. */
const MAX_BLOCK_BYTES = 8 * 1024 * 1024;
/**
 * Enough to read the track of a block: the headers of a group and of its block, and the head of the block.
 */
const MAX_BLOCK_START_BYTES = 2 * MAX_ELEMENT_HEADER_BYTES + MAX_BLOCK_HEAD_BYTES;
const NANOSECONDS = 1e9;
/** The length of the IDs of a file's first elements. */
const ID_BYTES = 4;

/**
 * Walks a Matroska (RFC 9559) up to its first cluster and returns the frames of the first audio track. The
 * times of their blocks, which are rounded to milliseconds, are ignored, as decoders ignore them.
 *
 * Throws CopyNotPossibleError if the file is malformed, because decoders then differ.
 */
export async function openMatroska(reader: ByteReader): Promise<MatroskaAudio> {
  const header = await nextHeader(reader);
  if (header?.id !== EBML_HEADER || !(await skipElement(reader, header))) throw broken('no EBML header');
  const segment = await nextHeader(reader);
  if (segment?.id !== SEGMENT) throw broken('no segment');
  reader.consume(segment.headerBytes);
  const segmentEnd = reader.position + segment.bodyBytes;
  let track: MatroskaTrack | undefined;
  const tags: MatroskaTag[] = [];
  let tagBytes = 0;
  for (;;) {
    const element = await nextHeader(reader);
    if (element === undefined) throw broken('no cluster');
    if (element.id === CLUSTER) break;
    if (element.id === TRACKS) {
      if (track !== undefined) throw broken('tracks told twice');
      track = readAudioTrack(Buffer.from(await readBody(reader, element, MAX_TRACKS_BYTES)));
    } else if (
      (element.id === INFO || element.id === TAGS) &&
      tagBytes + element.bodyBytes <= MAX_TAGS_BYTES
    ) {
      tagBytes += element.bodyBytes;
      const body = await readBody(reader, element, MAX_TAGS_BYTES);
      for (const tag of element.id === INFO ? readInfoTitle(body) : readTags(body)) tags.push(tag);
    } else if (!PASSED_IN_SEGMENT.has(element.id) || !(await skipElement(reader, element))) {
      throw broken('an element that does not belong there');
    }
    if (reader.position > segmentEnd) throw broken('the segment is too short');
  }
  if (track === undefined) throw broken('no audio track before the sound');
  if (track.isEncoded) throw broken('frames are compressed');
  return { track, tags: tagsOf(tags, track.uid), frames: walkClusters(reader, track.number, segmentEnd) };
}

/** A block cut short by the end of the source is dropped. */
async function* walkClusters(
  reader: ByteReader,
  trackNumber: number,
  segmentEnd: number,
): AsyncGenerator<readonly MatroskaFrame[]> {
  let frames: MatroskaFrame[] = [];
  /** Infinity: not known beforehand; undefined: outside of a cluster. */
  let clusterEnd: number | undefined;

  function takeFrames(): readonly MatroskaFrame[] {
    const taken = frames;
    frames = [];
    return taken;
  }

  // Frames are handed out before the window moves on: even the smallest frame keeps its whole window in
  // memory.
  while (reader.position < segmentEnd) {
    if (reader.window.length < MAX_BLOCK_START_BYTES) {
      if (frames.length > 0) yield takeFrames();
      reader.releaseBefore(reader.position);
    }
    const header = await nextHeader(reader);
    if (header === undefined) break;
    if (clusterEnd !== undefined && reader.position >= clusterEnd) clusterEnd = undefined;
    const isInCluster = clusterEnd !== undefined && !endsCluster(header.id, clusterEnd);
    const totalBytes = header.headerBytes + header.bodyBytes;
    const end = reader.position + totalBytes;
    if (end > segmentEnd && header.bodyBytes !== Number.POSITIVE_INFINITY)
      throw broken('the segment is too short');
    if (!isInCluster && header.id === CLUSTER) {
      reader.consume(header.headerBytes);
      clusterEnd = end;
      continue;
    }
    if (reader.window.length < totalBytes) {
      if (frames.length > 0) yield takeFrames();
      reader.releaseBefore(reader.position);
    }
    if (!isInCluster) {
      clusterEnd = undefined;
      if (!PASSED_IN_SEGMENT.has(header.id)) throw broken('an element that does not belong there');
      if (!(await skipElement(reader, header))) break;
      continue;
    }
    if (clusterEnd !== undefined && end > clusterEnd) throw broken('a cluster is too short');
    if (header.id !== SIMPLE_BLOCK && header.id !== BLOCK_GROUP) {
      if (!PASSED_IN_CLUSTER.has(header.id)) throw broken('an element that does not belong there');
      if (!(await skipElement(reader, header))) break;
      continue;
    }
    if ((await peekTrack(reader, header)) !== trackNumber) {
      if (!(await skipElement(reader, header))) break;
      continue;
    }
    checkedBytes(header, MAX_BLOCK_BYTES);
    if (!(await reader.fill(totalBytes))) break;
    const body = reader.window.subarray(header.headerBytes, totalBytes);
    frames.push(...(header.id === SIMPLE_BLOCK ? framesOf(body, 0) : groupFrames(body)));
    reader.consume(totalBytes);
  }
  if (frames.length > 0) yield frames;
  await refuseAnother(reader);
  await reader.drain();
}

/** A cluster of unknown length ends at an element of the level above. */
function endsCluster(id: number, clusterEnd: number): boolean {
  return (
    clusterEnd === Number.POSITIVE_INFINITY &&
    (id === CLUSTER || (PASSED_IN_SEGMENT.has(id) && !PASSED_IN_CLUSTER.has(id)))
  );
}

/** undefined if the source ends before. */
async function nextHeader(reader: ByteReader): Promise<ElementHeader | undefined> {
  if (reader.window.length < MAX_ELEMENT_HEADER_BYTES) await reader.fill(MAX_ELEMENT_HEADER_BYTES);
  const header = readElementHeader(reader.window, 0);
  if (header === undefined && reader.window.length >= MAX_ELEMENT_HEADER_BYTES) throw broken('no element');
  return header;
}

/** False if the source ends before the element does. */
function skipElement(reader: ByteReader, header: ElementHeader): Promise<boolean> {
  return reader.skip(header.headerBytes + checkedBytes(header, Number.MAX_VALUE));
}

async function readBody(reader: ByteReader, header: ElementHeader, maxBytes: number): Promise<Buffer> {
  const totalBytes = header.headerBytes + checkedBytes(header, maxBytes);
  if (!(await reader.fill(totalBytes))) throw broken('an element is cut short');
  const body = reader.window.subarray(header.headerBytes, totalBytes);
  reader.consume(totalBytes);
  return body;
}

/** Only segments and clusters may have an unknown length. */
function checkedBytes({ bodyBytes }: ElementHeader, maxBytes: number): number {
  if (bodyBytes > maxBytes) throw broken('an element is too large');
  return bodyBytes;
}

/** For a simple block, or a group that begins with its block; any other group is read as a whole. */
async function peekTrack(reader: ByteReader, header: ElementHeader): Promise<number | undefined> {
  if (reader.window.length < MAX_BLOCK_START_BYTES) await reader.fill(MAX_BLOCK_START_BYTES);
  const body = reader.window.subarray(header.headerBytes);
  if (header.id === SIMPLE_BLOCK) return blockTrack(body);
  const first = readElementHeader(body, 0);
  if (first?.id === BLOCK) return blockTrack(body.subarray(first.headerBytes));
  const totalBytes = header.headerBytes + checkedBytes(header, MAX_BLOCK_BYTES);
  if (!(await reader.fill(totalBytes))) return undefined;
  const block = findElement(reader.window.subarray(header.headerBytes, totalBytes), BLOCK);
  return block && blockTrack(block);
}

function groupFrames(group: Buffer): readonly MatroskaFrame[] {
  const block = findElement(group, BLOCK);
  if (block === undefined) throw broken('a group without its block');
  const padding = findElement(group, DISCARD_PADDING);
  if (padding === undefined || padding.length === 0) return framesOf(block, 0);
  // It has 64 bits, of which a block's length uses fewer than 40.
  if (padding.length > 8) throw broken('padding that makes no sense');
  const wide = Buffer.alloc(8, padding.readInt8(0) < 0 ? 0xff : 0);
  padding.copy(wide, 8 - padding.length);
  return framesOf(block, Number(wide.readBigInt64BE()) / NANOSECONDS);
}

function framesOf(block: Buffer, discardedSeconds: number): readonly MatroskaFrame[] {
  const frames = blockFrames(block);
  if (discardedSeconds !== 0 && frames.length !== 1) throw broken('padding of several frames');
  return frames.map((bytes) => ({ bytes, discardedSeconds }));
}

async function refuseAnother(reader: ByteReader): Promise<void> {
  if (!(await reader.fill(ID_BYTES))) return;
  const next = reader.window.readUInt32BE(0);
  if (next === EBML_HEADER || next === SEGMENT) throw broken('another file follows');
}

function broken(reason: string): CopyNotPossibleError {
  return new CopyNotPossibleError(`Matroska: ${reason}`);
}
