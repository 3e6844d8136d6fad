import type { SplitOptions } from '../media.ts';
import { type ChunkMemory, createLocalFileReader, type LocalFile } from './local-file.ts';
import type { SourceRanges } from './source-ranges.ts';

/** How a split gets at its source, whichever way it was given. */
export interface SourceAccess {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** From the first byte once more; absent where the source comes in only once. */
  readonly reopen?: () => AsyncIterable<Uint8Array>;
  /** Where it lies on this machine. */
  readonly file?: LocalFile;
  readonly sizeBytes: number | undefined;
  /** There where it comes in, but gives any part of itself as well; `chunks` are of no use any more once it did. */
  readonly ranges?: SourceRanges;
  /** Of its chunks, where it may be used. */
  readonly memory?: ChunkMemory;
}

export function accessSource({
  source,
  sourceSizeBytes,
  reopenSource,
  sourceRanges,
}: Pick<SplitOptions, 'source' | 'sourceSizeBytes' | 'reopenSource' | 'sourceRanges'>): SourceAccess {
  if (!('path' in source)) {
    const reopen = reopenSource === undefined ? {} : { reopen: reopenSource };
    const ranges = sourceRanges === undefined ? {} : { ranges: sourceRanges };
    return { chunks: source, ...reopen, ...ranges, sizeBytes: sourceSizeBytes };
  }
  const { chunks, memory } = createLocalFileReader(source);
  return { chunks: chunks(), reopen: chunks, file: source, sizeBytes: source.sizeBytes, memory };
}
