import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withScratchDir } from '../../copy/testing/ffmpeg.ts';
import type { SourceContainer } from '../../formats/formats.ts';
import { readChapters } from '../read-chapters.ts';
import type { SourceChapters } from '../source-chapters.ts';

/** Reads the chapters of a file that holds these bytes. */
export function readChaptersOf(
  bytes: Uint8Array,
  container: SourceContainer,
): Promise<SourceChapters | undefined> {
  return withScratchDir(async (dir) => {
    const path = join(dir, 'source');
    await writeFile(path, bytes);
    return readChapters({ path, sizeBytes: bytes.length }, { container });
  });
}
