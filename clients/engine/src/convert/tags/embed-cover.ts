/**
 * Inserts a cover into a file encoded by ffmpeg while its bytes pass through: only the head is rewritten.
 * ffmpeg would need the picture as a second input, and therefore the permission to open files.
 */

import { createBox, findBox, readBoxes, readBoxHeader, uint32 } from '../../copy/m4a/boxes.ts';
import { createTag, framesOf, withSize } from '../../copy/mp3/id3-tag.ts';
import { type ByteReader, openByteReader } from '../../copy/source/byte-reader.ts';
import type { EncodingName } from '../../formats/encoding.ts';
import type { Cover } from './cover.ts';

type Rewrite = (reader: ByteReader, cover: Cover) => Promise<Buffer>;

/** How each format that can hold a cover stores it; the reader is left after the head that is replaced. */
const REWRITES: Readonly<Partial<Record<EncodingName, Rewrite>>> = {
  mp3: rewriteId3,
  flac: rewriteFlac,
  m4a: rewriteMovie,
};

export function canHoldCover(encoding: EncodingName): boolean {
  return REWRITES[encoding] !== undefined;
}

/** The maximum that a cover adds to a file besides its own bytes. */
export const COVER_OVERHEAD_BYTES = 64;

/** Throws if the head is not as ffmpeg writes it. */
export async function* embedCover(
  encoding: EncodingName,
  cover: Cover,
  bytes: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  await using reader = openByteReader(bytes, { signal, onBytes: () => undefined });
  const rewrite = REWRITES[encoding];
  if (rewrite === undefined) throw new TypeError(`${encoding} holds no cover`);
  yield await rewrite(reader, cover);
  while (await reader.fill(1)) yield take(reader, reader.window.length);
}

function take(reader: ByteReader, byteCount: number): Buffer {
  const bytes = reader.window.subarray(0, byteCount);
  reader.consume(byteCount);
  return bytes;
}

async function takeWhole(reader: ByteReader, byteCount: number): Promise<Buffer> {
  if (!(await reader.fill(byteCount))) throw new Error('the encoded head is cut short');
  return take(reader, byteCount);
}

const ID3_VERSION = 4;
const FRONT_COVER = 3;

async function rewriteId3(reader: ByteReader, cover: Cover): Promise<Buffer> {
  const header = await takeWhole(reader, 10);
  const bodyBytes = [6, 7, 8, 9].reduce((value, at) => value * 128 + header.readUInt8(at), 0);
  const tag = Buffer.concat([header, await takeWhole(reader, bodyBytes)]);
  const frames = framesOf(tag);
  if (tag.toString('latin1', 0, 3) !== 'ID3' || tag[3] !== ID3_VERSION || frames === undefined)
    throw new Error('unexpected ID3 tag');
  const picture = Buffer.concat([
    Buffer.from('APIC\0\0\0\0\0\0', 'latin1'),
    // Latin-1, the type, the kind, no description.
    Buffer.from(`\0${cover.mimeType}\0`, 'latin1'),
    Buffer.of(FRONT_COVER, 0),
    cover.bytes,
  ]);
  return createTag(ID3_VERSION, [...frames, withSize(picture, ID3_VERSION)]);
}

const FLAC_PADDING = 1;
const FLAC_PICTURE = 6;
const FLAC_LAST_BLOCK_FLAG = 0x80;

/** RFC 9639 section 8.8. Dimensions and depth of 0 mean unknown. */
async function rewriteFlac(reader: ByteReader, cover: Cover): Promise<Buffer> {
  const blocks = [await takeWhole(reader, 4)];
  for (let isLast = false; !isLast; ) {
    const header = await takeWhole(reader, 4);
    const start = header.readUInt8(0);
    isLast = (start & FLAC_LAST_BLOCK_FLAG) !== 0;
    const type = start & ~FLAC_LAST_BLOCK_FLAG;
    const body = await takeWhole(reader, header.readUIntBE(1, 3));
    if (type !== FLAC_PADDING) blocks.push(Buffer.of(type), header.subarray(1), body);
  }
  const picture = Buffer.concat([
    uint32(FRONT_COVER, cover.mimeType.length),
    Buffer.from(cover.mimeType),
    uint32(0, 0, 0, 0, 0, cover.bytes.length),
    cover.bytes,
  ]);
  const header = uint32(picture.length);
  header.writeUInt8(FLAC_PICTURE | FLAC_LAST_BLOCK_FLAG);
  return Buffer.concat([...blocks, header, picture]);
}

const META_VERSION_BYTES = 4;
const JPEG_VALUE = 13;
const PNG_VALUE = 14;

async function rewriteMovie(reader: ByteReader, cover: Cover): Promise<Buffer> {
  const before: Buffer[] = [];
  for (;;) {
    await reader.fill(16);
    const header = readBoxHeader(reader.window, 0);
    if (header === undefined || header.type === 'mdat') throw new Error('m4a without a leading moov');
    const box = await takeWhole(reader, header.sizeBytes);
    if (header.type !== 'moov') {
      before.push(box);
      continue;
    }
    const moov = withCoverItem(Buffer.from(box.subarray(header.headerBytes)), cover);
    moveChunks(moov.subarray(8), moov.length - box.length);
    return Buffer.concat([...before, moov]);
  }
}

/** Without any text, ffmpeg writes no tags at all. */
function withCoverItem(moov: Buffer, cover: Cover): Buffer {
  const meta = findBox(moov, 'udta', 'meta');
  const items = meta && findBox(meta.subarray(META_VERSION_BYTES), 'ilst');
  const kind = uint32(cover.mimeType === 'image/png' ? PNG_VALUE : JPEG_VALUE, 0);
  const item = createBox('covr', createBox('data', kind, cover.bytes));
  const list = createBox('ilst', items ?? Buffer.alloc(0), item);
  const handler = createBox('hdlr', Buffer.alloc(8), Buffer.from('mdirappl'), Buffer.alloc(9));
  const tags = createBox('udta', createBox('meta', Buffer.alloc(META_VERSION_BYTES), handler, list));
  const others = [...readBoxes(moov)].filter(({ type }) => type !== 'udta');
  return createBox('moov', ...others.map(({ type, body }) => createBox(type, body)), tags);
}

const MAX_CHUNK_OFFSET = 0xffffffff;

/** Chunk offsets count from the file's beginning. */
function moveChunks(moov: Buffer, byBytes: number): void {
  const tables = findBox(moov, 'trak', 'mdia', 'minf', 'stbl');
  const offsets = tables && findBox(tables, 'stco');
  if (offsets === undefined || offsets.length < 8)
    throw new Error('m4a without a table of 32-bit chunk offsets');
  const count = offsets.readUInt32BE(4);
  if (offsets.length < 8 + 4 * count) throw new Error('m4a with a table that is cut short');
  for (let at = 8; at < 8 + 4 * count; at += 4) {
    const moved = offsets.readUInt32BE(at) + byBytes;
    if (moved < 0 || moved > MAX_CHUNK_OFFSET) throw new Error('m4a with a chunk that lies out of reach');
    offsets.writeUInt32BE(moved, at);
  }
}
