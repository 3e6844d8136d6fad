import type { SplitOptions } from '../media.ts';
import { type ChunkMemory, createLocalFileReader, type LocalFile } from './local-file.ts';
import type { SourceRanges } from './source-ranges.ts';

/** How a split accesses its source, in whichever way it was given. */
export interface SourceAccess {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The source again from its first byte; absent if it can be streamed only once. */
  readonly reopen?: () => AsyncIterable<Uint8Array>;
  /** The file, if the source is on this machine. */
  readonly file?: LocalFile;
  readonly sizeBytes: number | undefined;
  /**
   * Set if a streamed source also provides any part of itself; `chunks` are useless after the first request.
   */
  readonly ranges?: SourceRanges;
  /** The memory of its chunks, if it may be reused. */
  readonly memory?: ChunkMemory;
}

export interface OpenedSource {
  readonly access: SourceAccess;
  /** Those of `access`; an abort ends them. */
  readonly chunks: AsyncIterable<Uint8Array>;
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
