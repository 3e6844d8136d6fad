import type { OpenSource } from '../source/fetch-source.ts';
import type { ProgressReport } from './lease/lease-keeper.ts';

/** Yields the source's bytes and reports how many have been read. The last byte ends the fetching. */
export async function* reportingFetch(
  { body, declaredSizeBytes }: Pick<OpenSource, 'body' | 'declaredSizeBytes'>,
  progress: Pick<ProgressReport, 'reportFetching'>,
): AsyncGenerator<Uint8Array> {
  let fetchedBytes = 0;
  for await (const chunk of body) {
    fetchedBytes += chunk.byteLength;
    const isWhole = fetchedBytes === declaredSizeBytes;
    progress.reportFetching(isWhole ? undefined : { fetchedBytes, totalBytes: declaredSizeBytes });
    yield chunk;
  }
  progress.reportFetching(undefined);
}
