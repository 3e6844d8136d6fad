/**
 * Extracts one logical stream from an Ogg that multiplexes several: its pages, unchanged (RFC 3533 section
 * 4). `streamIndex` counts the streams by their first pages, as ffmpeg does.
 */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createLocalFileReader, type LocalFile } from '../../../source/local-file.ts';

const HEADER_BYTES = 27;
const FIRST_FLAG = 2;
const CAPTURE = Buffer.from('OggS');

export async function copyOggStream(
  file: LocalFile,
  streamIndex: number,
  path: string,
  signal: AbortSignal,
): Promise<LocalFile> {
  await pipeline(pagesOf(file, streamIndex), createWriteStream(path), { signal });
  return { path, sizeBytes: (await stat(path)).size };
}

async function* pagesOf(file: LocalFile, streamIndex: number): AsyncGenerator<Buffer> {
  const serials: number[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of createLocalFileReader(file).chunks()) {
    const window = Buffer.concat([rest, chunk]);
    let at = 0;
    for (;;) {
      const start = window.indexOf(CAPTURE, at);
      if (start < 0) {
        // The capture pattern itself may be split across chunks.
        at = Math.max(at, window.length - CAPTURE.length + 1);
        break;
      }
      at = start;
      const length = pageLength(window, start);
      if (length === undefined || start + length > window.length) break;
      const serial = window.readUInt32LE(start + 14);
      const isFirst = ((window[start + 5] ?? 0) & FIRST_FLAG) !== 0;
      if (isFirst && serials.length <= streamIndex) serials.push(serial);
      if (serial === serials[streamIndex]) yield window.subarray(start, start + length);
      at = start + length;
    }
    rest = window.subarray(at);
  }
}

/** undefined if the header is incomplete. */
function pageLength(window: Buffer, at: number): number | undefined {
  const segmentCount = window[at + HEADER_BYTES - 1];
  if (segmentCount === undefined || at + HEADER_BYTES + segmentCount > window.length) return undefined;
  const lacing = window.subarray(at + HEADER_BYTES, at + HEADER_BYTES + segmentCount);
  return HEADER_BYTES + segmentCount + lacing.reduce((sum, length) => sum + length, 0);
}
