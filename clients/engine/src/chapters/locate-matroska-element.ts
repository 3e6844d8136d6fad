/**
 * Finds an element directly inside a Matroska's Segment, such as Chapters: before the audio, or at the
 * position in a SeekHead. A file without a SeekHead is also searched after its clusters, as far as these
 * state their length. The number of elements examined is bounded, because each one far from the last costs a
 * read.
 */
import {
  type ElementHeader,
  findElement,
  MAX_ELEMENT_HEADER_BYTES,
  readElementHeader,
  readElements,
  readUnsigned,
} from '../copy/matroska/ebml.ts';
import { CLUSTER, EBML_HEADER, SEEK_HEAD, SEGMENT } from '../copy/matroska/elements.ts';
import type { FileBytes } from './file-bytes.ts';
import { MAX_TABLE_BYTES } from './source-chapters.ts';

const SEEK = 0x4dbb;
const SEEK_ID = 0x53ab;
const SEEK_POSITION = 0x53ac;
const MAX_ELEMENTS = 500;
const MAX_SEEK_HEAD_BYTES = 64 * 1024;
const MAX_SEEKS = 16;

interface PlacedElement extends ElementHeader {
  readonly bodyAt: number;
}

/** The element's body, as far as it is present. */
export async function locateMatroskaElement(
  bytes: FileBytes,
  start: number,
  id: number,
): Promise<Buffer | undefined> {
  const header = await readHeader(bytes, start);
  if (header?.id !== EBML_HEADER) return undefined;
  const segment = await readHeader(bytes, header.bodyAt + header.bodyBytes);
  if (segment?.id !== SEGMENT) return undefined;
  const seekHeads: PlacedElement[] = [];
  let at = segment.bodyAt;
  for (let count = 0; count < MAX_ELEMENTS; count++) {
    const element = await readHeader(bytes, at);
    if (element === undefined) break;
    if (element.id === id) return readBody(bytes, element, MAX_TABLE_BYTES);
    if (element.id === SEEK_HEAD) seekHeads.push(element);
    if (element.id === CLUSTER && seekHeads.length > 0) break;
    at = element.bodyAt + element.bodyBytes;
  }
  return followSeeks(bytes, segment.bodyAt, seekHeads, id);
}

/** A SeekHead may refer to another one at the end of the file. */
async function followSeeks(
  bytes: FileBytes,
  segmentAt: number,
  seekHeads: readonly PlacedElement[],
  id: number,
): Promise<Buffer | undefined> {
  const waiting = [...seekHeads];
  const seen = new Set(seekHeads.map(({ bodyAt }) => bodyAt));
  for (let count = 0; count < MAX_SEEKS; count++) {
    const seekHead = waiting.shift();
    if (seekHead === undefined) return undefined;
    for (const position of readSeeks(await readBody(bytes, seekHead, MAX_SEEK_HEAD_BYTES), id)) {
      const element = await readHeader(bytes, segmentAt + position);
      if (element?.id === id) return readBody(bytes, element, MAX_TABLE_BYTES);
      if (element?.id !== SEEK_HEAD || seen.has(element.bodyAt)) continue;
      seen.add(element.bodyAt);
      waiting.push(element);
    }
  }
  return undefined;
}

/** The positions of such elements and of further lists, counted from the Segment's body. */
function readSeeks(seekHead: Buffer, wantedId: number): readonly number[] {
  const positions: number[] = [];
  for (const { id, body } of readElements(seekHead)) {
    if (id !== SEEK || positions.length === MAX_SEEKS) continue;
    const target = readUnsigned(findElement(body, SEEK_ID));
    const position = readUnsigned(findElement(body, SEEK_POSITION));
    if (position !== undefined && (target === wantedId || target === SEEK_HEAD)) positions.push(position);
  }
  return positions;
}

/** Undefined after the file's end. */
async function readHeader(bytes: FileBytes, at: number): Promise<PlacedElement | undefined> {
  const header = readElementHeader(await bytes.head(at, MAX_ELEMENT_HEADER_BYTES), 0);
  return header && { ...header, bodyAt: at + header.headerBytes };
}

/** If the element's size is unknown: the bytes that may be its body. */
function readBody(bytes: FileBytes, { bodyAt, bodyBytes }: PlacedElement, maxBytes: number): Promise<Buffer> {
  return bytes.head(bodyAt, Math.min(bodyBytes, maxBytes));
}
