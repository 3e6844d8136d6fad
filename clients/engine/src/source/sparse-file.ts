/** A file of a source's size that is empty at first, and is filled where it is read. */
import { open, truncate } from 'node:fs/promises';
import type { AbsentBytes, LocalFile } from './local-file.ts';
import type { ByteSpan, SourceRanges } from './source-ranges.ts';

interface SparseFile extends LocalFile {
  readonly absent: AbsentBytes;
  /** Fetches everything that is still missing. */
  complete(): Promise<void>;
}

interface SparseFileOptions {
  readonly path: string;
  readonly ranges: SourceRanges;
  readonly signal: AbortSignal;
}

const BLOCK_BYTES = 64 * 1024;
/** What the first read at a position fetches; each read that continues there fetches twice as much. */
const MIN_FETCH_BYTES = 256 * 1024;
const MAX_FETCH_BYTES = 8 * 1024 * 1024;

/** Creates the file. For one reader at a time. */
export async function createSparseFile({ path, ranges, signal }: SparseFileOptions): Promise<SparseFile> {
  const { sizeBytes } = ranges;
  await (await open(path, 'wx')).close();
  await truncate(path, sizeBytes);
  const isThere = new Uint8Array(Math.ceil(sizeBytes / BLOCK_BYTES));
  let fetchBytes = MIN_FETCH_BYTES;
  let fetchedUpTo = -1;

  /** The first run of missing blocks from `first` on that begins below `end`. */
  function nextHole(first: number, end: number): ByteSpan | undefined {
    const hole = isThere.indexOf(0, first);
    if (hole < 0 || hole >= end) return undefined;
    const there = isThere.indexOf(1, hole);
    return { start: hole, end: there < 0 ? isThere.length : there };
  }

  async function fillHole({ start, end }: ByteSpan): Promise<void> {
    const span = { start: start * BLOCK_BYTES, end: Math.min(end * BLOCK_BYTES, sizeBytes) };
    const written = await ranges.writeTo(path, span, signal);
    const lastBlock = written.end >= sizeBytes ? isThere.length : Math.floor(written.end / BLOCK_BYTES);
    isThere.fill(1, Math.ceil(written.start / BLOCK_BYTES), lastBlock);
  }

  async function fetchUpTo(start: number, endBlock: number): Promise<void> {
    for (let hole = nextHole(start, endBlock); hole !== undefined; hole = nextHole(hole.start, endBlock)) {
      fetchBytes = hole.start === fetchedUpTo ? Math.min(2 * fetchBytes, MAX_FETCH_BYTES) : MIN_FETCH_BYTES;
      const wanted = Math.max(endBlock, hole.start + fetchBytes / BLOCK_BYTES);
      fetchedUpTo = Math.min(hole.end, wanted);
      await fillHole({ start: hole.start, end: fetchedUpTo });
    }
  }

  return {
    path,
    sizeBytes,
    absent: {
      fill: (start, end) =>
        fetchUpTo(Math.floor(start / BLOCK_BYTES), Math.ceil(Math.min(end, sizeBytes) / BLOCK_BYTES)),
    },
    async complete() {
      const all = isThere.length;
      for (let hole = nextHole(0, all); hole !== undefined; hole = nextHole(hole.start, all))
        await fillHole(hole);
    },
  };
}
