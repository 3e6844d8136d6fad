import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteReader, openByteReader } from '../byte-reader.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { unsupportedMedia } from '../cut-rules.ts';
import { createSegmentFile } from '../segment-file.ts';
import { type BoxHeader, MAX_BOX_HEADER_BYTES, readBoxHeader } from './boxes.ts';

/** A movie whose tables are known, with a reader that stands in front of its frames. */
export interface LocatedMovie extends AsyncDisposable {
  /** The body of the `moov` box. */
  readonly moov: Buffer;
  readonly media: ByteReader;
  /** Where in the source the media reader began. */
  readonly mediaStart: number;
}

/** 4 bytes of size table a frame: some 90 hours of AAC. */
const MAX_MOOV_BYTES = 64 * 1024 * 1024;
const SPOOL_NAME = 'source.spool';

/**
 * Finds the `moov` box. Where the media comes first, the source from there on goes to a file in `outputDir`,
 * as its frames cannot be told apart without the tables behind them; disposing removes that file.
 */
export async function locateMovie(
  reader: ByteReader,
  outputDir: string,
  signal: AbortSignal,
): Promise<LocatedMovie> {
  while (await reader.fill(8)) {
    await reader.fill(MAX_BOX_HEADER_BYTES);
    const header = readBoxHeader(reader.window, 0);
    if (header === undefined) break;
    if (header.type === 'moof') throw new CopyNotPossibleError('the movie is fragmented');
    if (header.type === 'mdat') return locateInSpool(reader, outputDir, signal);
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

async function locateInSpool(
  reader: ByteReader,
  outputDir: string,
  signal: AbortSignal,
): Promise<LocatedMovie> {
  await using cleanup = new AsyncDisposableStack();
  const path = join(outputDir, SPOOL_NAME);
  const mediaStart = reader.position;
  cleanup.defer(() => rm(path, { force: true }));
  await spool(reader, path);
  const moov = await readMoov(path);
  const stream = createReadStream(path, { highWaterMark: 256 * 1024 });
  cleanup.defer(() => {
    stream.destroy();
  });
  const media = cleanup.use(openByteReader(stream, { signal, onBytes: () => undefined }));
  const owned = cleanup.move();
  return { moov, media, mediaStart, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function spool(reader: ByteReader, path: string): Promise<void> {
  const file = await createSegmentFile(path);
  try {
    while (await reader.fill(1)) {
      file.append(reader.window);
      reader.consume(reader.window.length);
      await file.flush();
    }
  } finally {
    await file.close();
  }
}

async function readMoov(path: string): Promise<Buffer> {
  await using handle = await open(path);
  const start = Buffer.alloc(MAX_BOX_HEADER_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(start, 0, start.length, at);
    const header = readBoxHeader(start.subarray(0, bytesRead), 0);
    if (header === undefined) throw unsupportedMedia('The source holds no movie header.');
    if (header.type === 'moof') throw new CopyNotPossibleError('the movie is fragmented');
    if (header.type === 'moov') {
      const moov = Buffer.alloc(checkedMoovBytes(header) - header.headerBytes);
      const body = await handle.read(moov, 0, moov.length, at + header.headerBytes);
      if (body.bytesRead < moov.length) throw unsupportedMedia('The movie header is cut short.');
      return moov;
    }
    at += header.sizeBytes;
    if (at === Number.POSITIVE_INFINITY) throw unsupportedMedia('The source holds no movie header.');
  }
}

function checkedMoovBytes(header: BoxHeader): number {
  if (header.sizeBytes > MAX_MOOV_BYTES) throw new CopyNotPossibleError('the movie header is too large');
  return header.sizeBytes;
}
