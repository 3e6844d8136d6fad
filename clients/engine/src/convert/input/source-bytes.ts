/** What the rules about beginnings and ends of containers look at, whether the source lies on disk or passes by. */
import type { SourceContainer } from '../../formats/formats.ts';
import { readRange, type SourceFile } from './source-file.ts';

export interface SourceBytes {
  readonly container: SourceContainer;
  /** Bytes from `start` on; fewer where the source, or what is known of it, ends. */
  head(start: number, length: number): Promise<Buffer>;
  /** The last bytes of a source that has been read to its end. */
  tail(length: number): Promise<Buffer>;
}

/** The most that `tail` is asked for. */
export const TAIL_BYTES = 128 * 1024;

export function bytesOfFile({ path, container, sizeBytes }: SourceFile): SourceBytes {
  return {
    container,
    head: (start, length) => readRange(path, start, length),
    tail: (length) => readRange(path, Math.max(0, sizeBytes - length), length),
  };
}
