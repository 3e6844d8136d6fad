import type { Audiosplit, Segment } from '@audiosplit/client';
import { type DownloadedSegment, downloadSegment } from './download-segment.ts';

export interface DownloadOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called with the bytes of all segments so far. */
  readonly onBytes: (receivedBytes: number) => void;
}

/** Enough to hide the latency of many small segments. */
const PARALLEL_DOWNLOADS = 4;

/**
 * Downloads all segments into a folder; the results are in their order. The first that fails for good stops the others,
 * so that nothing is written after this has thrown.
 */
export async function downloadSegments(
  client: Audiosplit,
  segments: readonly Segment[],
  { folder, signal, onBytes }: DownloadOptions,
): Promise<DownloadedSegment[]> {
  const failed = new AbortController();
  const downloaded: DownloadedSegment[] = [];
  let receivedBytes = 0;
  const options = {
    folder,
    signal: AbortSignal.any([signal, failed.signal]),
    onBytes: (count: number) => {
      receivedBytes += count;
      onBytes(receivedBytes);
    },
  };
  // One iterator that all workers draw from.
  const queue = segments.entries();
  const work = async () => {
    for (const [position, segment] of queue) {
      downloaded[position] = await downloadSegment(client, segment, options);
    }
  };
  const workers = Array.from({ length: PARALLEL_DOWNLOADS }, () =>
    work().catch((error: unknown) => failed.abort(error)),
  );
  await Promise.all(workers);
  failed.signal.throwIfAborted();
  return downloaded;
}
