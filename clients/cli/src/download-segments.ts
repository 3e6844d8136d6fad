import type { Segment } from '@audiosplit/gateway/schemas/splits';
import { type DownloadedSegment, downloadSegment } from './download-segment.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import type { TransferOptions } from './upload-source.ts';

/** Enough to hide the latency of many small segments. */
const PARALLEL_DOWNLOADS = 4;

/**
 * Downloads all segments into `folder`; the results stand in their order. `onBytes` is told the bytes received
 * so far. The first that fails for good stops the others, so that nothing is written after the failure is out.
 */
export async function downloadSegments(
  segments: readonly Segment[],
  folder: string,
  { onBytes, ...retries }: TransferOptions & RetryPolicy,
): Promise<DownloadedSegment[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([retries.signal, failed.signal]);
  const downloaded: DownloadedSegment[] = [];
  let receivedBytes = 0;
  const count = (bytes: number) => {
    receivedBytes += bytes;
    onBytes(receivedBytes);
  };
  // One iterator that all workers draw from.
  const queue = segments.entries();
  const work = async () => {
    for (const [position, segment] of queue) {
      downloaded[position] = await withRetries({ ...retries, signal }, () =>
        downloadSegment(segment, folder, { signal, onBytes: count }),
      );
    }
  };
  const workers = Array.from({ length: PARALLEL_DOWNLOADS }, () =>
    work().catch((error: unknown) => failed.abort(error)),
  );
  await Promise.all(workers);
  failed.signal.throwIfAborted();
  return downloaded;
}
