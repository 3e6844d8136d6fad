import type { SplitOptions } from '@audiosplit/engine/media';
import type { OpenSource } from '../source/fetch-source.ts';
import type { ProgressReport } from './lease/lease-keeper.ts';
import type { FedSource } from './shares/fed-source.ts';
import type { SourceRoom } from './source-room.ts';

interface FetchHooks {
  /** Called before more bytes are requested. */
  readonly onWait?: () => void;
  /** `bytes` have arrived in total. What it returns is awaited before they are handed on. */
  readonly onArrived?: (bytes: number) => Promise<void> | undefined;
  readonly onEnd?: (bytes: number) => void;
}

/** Yields the same chunks, and awaits `onArrived` with the bytes so far before each. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onArrived: (bytes: number) => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    await onArrived(bytes);
    yield chunk;
  }
}

/** Yields the source's bytes and reports the number read. The last byte ends the fetching. */
export async function* reportingFetch(
  { body, declaredSizeBytes }: Pick<OpenSource, 'body' | 'declaredSizeBytes'>,
  progress: Pick<ProgressReport, 'reportFetching'>,
  { onWait, onArrived, onEnd }: FetchHooks = {},
): AsyncGenerator<Uint8Array> {
  let fetchedBytes = 0;
  const report = (bytes: number) => {
    fetchedBytes = bytes;
    const isWhole = fetchedBytes === declaredSizeBytes;
    progress.reportFetching(isWhole ? undefined : { fetchedBytes, totalBytes: declaredSizeBytes });
    return onArrived?.(bytes);
  };
  onWait?.();
  for await (const chunk of counted(body, report)) {
    yield chunk;
    onWait?.();
  }
  progress.reportFetching(undefined);
  onEnd?.(fetchedBytes);
}

interface RangeAccess extends Pick<FedSource, 'withoutSlot'> {
  /** Covers each part before it is read. */
  readonly roomOf?: () => Pick<SourceRoom, 'readPart'> | undefined;
}

/**
 * Once a part is requested, fetching is a step of the split. After a failed attempt the whole source is
 * fetched, because a server may offer ranges that it does not return.
 */
export function rangesOf(
  { ranges }: Pick<OpenSource, 'ranges'>,
  { attempt }: { readonly attempt: number },
  progress: Pick<ProgressReport, 'reportFetching'>,
  { withoutSlot, roomOf }: RangeAccess,
): Pick<SplitOptions, 'sourceRanges'> {
  if (ranges === undefined || attempt > 1) return {};
  return {
    sourceRanges: {
      sizeBytes: ranges.sizeBytes,
      async writeTo(path, span, signal) {
        progress.reportFetching(undefined);
        const read = () => ranges.writeTo(path, span, signal);
        return await withoutSlot(() => roomOf?.()?.readPart(span.end - span.start, read) ?? read());
      },
    },
  };
}
