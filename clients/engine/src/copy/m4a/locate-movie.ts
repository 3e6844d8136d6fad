import { type FileHandle, open } from 'node:fs/promises';
import { createCleanupStack } from '../../cleanup-stack.ts';
import { unsupportedMedia } from '../../media-error.ts';
import { createLocalFileReader, type LocalFile } from '../../source/local-file.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { type ByteReader, openByteReader } from '../source/byte-reader.ts';
import { type KeepOptions, keepRest } from '../source/kept-source.ts';
import { type BoxHeader, MAX_BOX_HEADER_BYTES, readBoxHeader } from './boxes.ts';

/** A movie with known tables, and a reader positioned before its frames. */
interface LocatedMovie extends AsyncDisposable {
  /** The body of the `moov` box. */
  readonly moov: Buffer;
  readonly media: ByteReader;
  /** The position in the source where the media reader began. */
  readonly mediaStart: number;
}

/** 4 bytes of size table a frame: some 90 hours of AAC. */
const MAX_MOOV_BYTES = 64 * 1024 * 1024;
/** Real files have a handful before their index; a megabyte holds 131,072 empty ones. */
const MAX_BOXES_BEFORE_MOOV = 1_000;
const BOX_WINDOW_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

type LocateOptions = KeepOptions & { readonly signal: AbortSignal };

/**
 * Finds the `moov` box. If the media precedes it, the borders of the frames are unknown until the tables are
 * read. The frames are then read from the caller's copy of the source or, without one, from a file in
 * `outputDir`, which is removed on disposal.
 */
export async function locateMovie(reader: ByteReader, options: LocateOptions): Promise<LocatedMovie> {
  for (let boxCount = 0; await reader.fill(8); boxCount++) {
    refuseManyBoxes(boxCount);
    await reader.fill(MAX_BOX_HEADER_BYTES);
    const header = readBoxHeader(reader.window, 0);
    if (header === undefined) break;
    if (header.type === 'moof') throw new CopyNotPossibleError('the movie is fragmented');
    if (header.type === 'mdat') return locateInFile(reader, options);
    if (header.type === 'moov') {
      if (!(await reader.fill(checkedMoovBytes(header))))
        throw unsupportedMedia('The movie header is cut short.');
      const moov = Buffer.from(reader.window.subarray(header.headerBytes, header.sizeBytes));
      const mediaStart = 0;
      return { moov, media: reader, mediaStart, [Symbol.asyncDispose]: async () => undefined };
    }
    await reader.skip(header.sizeBytes);
  }
  throw unsupportedMedia('The source holds no movie header.');
}

async function locateInFile(reader: ByteReader, options: LocateOptions): Promise<LocatedMovie> {
  await using cleanup = createCleanupStack();
  const mediaStart = reader.position;
  const { file, start } = cleanup.use(await keepRest(reader, options));
  const moov = await readMoov(file, start);
  const { chunks, memory } = createLocalFileReader(file, start);
  const readerOptions = { signal: options.signal, onBytes: () => undefined, memory };
  const media = cleanup.use(openByteReader(chunks(), readerOptions));
  const owned = cleanup.move();
  return { moov, media, mediaStart, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

/** Walks the boxes from `start` on. A header's size is trusted only as far as the file extends. */
async function readMoov({ path, sizeBytes, absent }: LocalFile, start: number): Promise<Buffer> {
  await using handle = await open(path);
  const readAt = async (position: number, byteCount: number): Promise<Buffer> => {
    await absent?.fill(position, position + byteCount);
    return await readFully(handle, position, byteCount);
  };
  let at = start;
  let window: Buffer = Buffer.alloc(0);
  let windowEnd = start;
  for (let boxCount = 0; ; boxCount++) {
    refuseManyBoxes(boxCount);
    // Sizes have 64 bits; positions in files have 53 here.
    if (!Number.isSafeInteger(at)) throw unsupportedMedia('The source holds no movie header.');
    if (at + MAX_BOX_HEADER_BYTES > windowEnd) {
      window = await readAt(at, Math.min(BOX_WINDOW_BYTES, Math.max(0, sizeBytes - at)));
      windowEnd = at + window.length;
    }
    const header = readBoxHeader(window, window.length - (windowEnd - at));
    if (header === undefined) throw unsupportedMedia('The source holds no movie header.');
    if (header.type === 'moof') throw new CopyNotPossibleError('the movie is fragmented');
    if (header.type === 'moov') {
      const moovBytes = checkedMoovBytes(header) - header.headerBytes;
      const moovStart = at + header.headerBytes;
      const moov = moovStart + moovBytes > sizeBytes ? NOTHING : await readAt(moovStart, moovBytes);
      if (moov.length < moovBytes) throw unsupportedMedia('The movie header is cut short.');
      return moov;
    }
    at += header.sizeBytes;
  }
}

/** Shorter if the file ends. */
async function readFully(handle: FileHandle, position: number, byteCount: number): Promise<Buffer> {
  const bytes = Buffer.alloc(byteCount);
  const { bytesRead } = await handle.read(bytes, 0, byteCount, position);
  return bytes.subarray(0, bytesRead);
}

function refuseManyBoxes(boxCount: number): void {
  if (boxCount >= MAX_BOXES_BEFORE_MOOV) throw new CopyNotPossibleError('boxes without end before the movie');
}

function checkedMoovBytes(header: BoxHeader): number {
  if (header.sizeBytes > MAX_MOOV_BYTES) throw new CopyNotPossibleError('the movie header is too large');
  return header.sizeBytes;
}
