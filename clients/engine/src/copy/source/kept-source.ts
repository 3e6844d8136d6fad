import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createCleanupStack } from '../../cleanup-stack.ts';
import type { LocalFile } from '../../source/local-file.ts';
import type { CopyOptions } from '../copy-contract.ts';
import { createSegmentFile } from '../segments/segment-file.ts';
import type { ByteReader } from './byte-reader.ts';

export type KeepOptions = Pick<CopyOptions, 'outputDir' | 'keptSource'>;

interface KeptRest extends AsyncDisposable {
  readonly file: LocalFile;
  /** The position in the file where the rest begins. */
  readonly start: number;
}

/** Read at a time, if the source cannot skip. */
const SKIPPED_BYTES = 1024 * 1024;
const SPOOL_NAME = 'source.spool';

/**
 * Reads the source to its end and returns the rest as a file, for splitters that find data they need after
 * the audio: the caller's copy of the source, or a file in `outputDir`, which is removed on disposal.
 */
export async function keepRest(
  reader: ByteReader,
  { outputDir, keptSource }: KeepOptions,
): Promise<KeptRest> {
  const restStart = reader.position;
  if (keptSource !== undefined) {
    while (await reader.skip(SKIPPED_BYTES)) reader.releaseBefore(reader.position);
    return { file: await keptSource(), start: restStart, [Symbol.asyncDispose]: async () => undefined };
  }
  await using cleanup = createCleanupStack();
  const path = join(outputDir, SPOOL_NAME);
  cleanup.defer(() => rm(path, { force: true }));
  const file = await spool(reader, path);
  const owned = cleanup.move();
  return { file, start: 0, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

async function spool(reader: ByteReader, path: string): Promise<LocalFile> {
  const file = createSegmentFile(path);
  try {
    while (await reader.fill(1)) {
      file.append(reader.window);
      reader.consume(reader.window.length);
      file.flush();
      reader.releaseBefore(reader.position);
    }
  } finally {
    await file.close();
  }
  return { path, sizeBytes: file.sizeBytes };
}
