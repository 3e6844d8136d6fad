import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cover } from '../convert/tags/cover.ts';
import type { FinishedSegment } from '../media.ts';

/** The cover as a piece without duration; it precedes the others. */
export async function writeCoverPiece(dir: string, { mimeType, bytes }: Cover): Promise<FinishedSegment> {
  const path = join(dir, 'cover');
  await writeFile(path, bytes);
  return {
    index: -1,
    path,
    extension: '',
    contentType: mimeType,
    startSample: 0,
    sampleCount: 0,
    sampleRateHz: 0,
    sizeBytes: bytes.length,
  };
}
