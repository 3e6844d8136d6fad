/**
 * The source's bytes for the rules about beginnings and ends of containers, whether it is on disk or
 * streamed.
 */
import type { SourceContainer } from '../../formats/formats.ts';
import { readPart } from '../../source/read-part.ts';
import type { SourceFile } from './source-file.ts';

export interface SourceBytes {
  readonly container: SourceContainer;
  /** Bytes from `start` on; fewer if the source, or its known part, ends before. */
  head(start: number, length: number): Promise<Buffer>;
  /** The last bytes of a source that has been read to its end. */
  tail(length: number): Promise<Buffer>;
}

/** The maximum for `tail`. */
export const TAIL_BYTES = 128 * 1024;

export function bytesOfFile(file: SourceFile): SourceBytes {
  const { container, sizeBytes } = file;
  return {
    container,
    head: (start, length) => readPart(file, start, length),
    tail: (length) => readPart(file, Math.max(0, sizeBytes - length), length),
  };
}
