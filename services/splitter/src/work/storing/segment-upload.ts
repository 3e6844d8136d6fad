import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { FinishedSegment } from '@audiosplit/engine/media';
import { MediaError } from '@audiosplit/engine/media-error';

/** A segment in the object store. */
export interface StoredSegment extends Pick<FinishedSegment, 'endKind' | 'title'> {
  readonly index: number;
  /** Empty for a dry run. */
  readonly objectKey: string;
  readonly extension: string;
  readonly contentType: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** The rate by which its times were computed. */
  readonly sampleRateHz: number;
  readonly sizeBytes: number;
  readonly contentStartMs?: number;
  readonly isSizeEstimate?: boolean;
  /** In the bucket of the job's destination. */
  readonly location?: string;
}

/** Moves a finished segment from the scratch folder into the store, below the attempt's own prefix. */
export async function storeSegment(
  store: ObjectStore,
  prefix: string,
  segment: FinishedSegment,
  signal: AbortSignal,
): Promise<StoredSegment> {
  const objectKey = segment.dryRun === undefined ? await moveToStore(store, prefix, segment, signal) : '';
  return describeSegment(segment, objectKey);
}

/** Returns the object's key. */
async function moveToStore(
  store: ObjectStore,
  prefix: string,
  { index, extension, contentType, sizeBytes, path }: FinishedSegment,
  signal: AbortSignal,
): Promise<string> {
  const objectKey = `${prefix}${index}.${extension}`;
  const stored = await store.putFile(objectKey, path, { contentType, signal });
  if (stored.sizeBytes !== sizeBytes) {
    throw new Error(`segment ${index} has ${sizeBytes} bytes, but ${stored.sizeBytes} were stored`);
  }
  return objectKey;
}

export function describeSegment(segment: FinishedSegment, objectKey: string): StoredSegment {
  const { index, extension, contentType, sizeBytes, sampleRateHz } = segment;
  const { contentStartSample, endKind, title, dryRun } = segment;
  const startMs = toMs(segment.startSample, sampleRateHz);
  return {
    index,
    objectKey,
    extension,
    contentType,
    ...(contentStartSample === undefined ? {} : { contentStartMs: toMs(contentStartSample, sampleRateHz) }),
    ...(endKind === undefined ? {} : { endKind }),
    ...(title === undefined ? {} : { title }),
    ...(dryRun?.isExactSize === false ? { isSizeEstimate: true } : {}),
    startMs,
    // The difference of rounded borders, so that durations add up to the total.
    durationMs: toMs(segment.startSample + segment.sampleCount, sampleRateHz) - startMs,
    sampleRateHz,
    sizeBytes,
  };
}

/** The span that segments must cover. */
export interface SegmentSpan {
  readonly firstIndex: number;
  readonly count: number;
  readonly startMs: number;
  readonly endMs: number;
  /** The rate by which start and end were computed. */
  readonly sampleRateHz: number;
}

/**
 * The same segments with adjoining borders. If two sample rates meet, as at the end of a resampled source,
 * each may round a border to a different millisecond: the earlier segment's value counts, and at the end the
 * source's. Gaps and overlaps are never published.
 */
export function joinBorders(segments: readonly StoredSegment[], span: SegmentSpan): StoredSegment[] {
  const joined: StoredSegment[] = [];
  let { startMs, sampleRateHz } = span;
  for (const [position, segment] of segments.entries()) {
    const endMs = segment.startMs + segment.durationMs;
    const isNext = segment.index === span.firstIndex + position;
    if (!isNext || Math.abs(segment.startMs - startMs) > roundingMs(segment.sampleRateHz, sampleRateHz)) {
      throw new MediaError(
        'INTERNAL_ERROR',
        `segment ${segment.index} begins at ${segment.startMs} ms, not at ${startMs} ms`,
      );
    }
    joined.push({ ...segment, startMs, durationMs: endMs - startMs });
    startMs = endMs;
    sampleRateHz = segment.sampleRateHz;
  }
  const last = joined.pop();
  const isWhole = Math.abs(startMs - span.endMs) <= roundingMs(sampleRateHz, span.sampleRateHz);
  if (last === undefined || segments.length !== span.count || !isWhole) {
    throw new MediaError(
      'INTERNAL_ERROR',
      `${segments.length} of ${span.count} segments end at ${startMs} of ${span.endMs} ms`,
    );
  }
  return [...joined, { ...last, durationMs: span.endMs - last.startMs }];
}

/** The maximum difference of one moment rounded at two rates. */
function roundingMs(sampleRateHz: number, otherRateHz: number): number {
  return sampleRateHz === otherRateHz ? 0 : 1;
}

/** Adds the reason of each end, for cuts that are made while the source arrives. `count`: of the job. */
export function withEnds(segments: readonly StoredSegment[], count: number): StoredSegment[] {
  return segments.map((segment) => ({
    ...segment,
    endKind: segment.index === count - 1 ? 'end' : 'exact',
  }));
}

/** The file names are in the order of the segments. */
export function toProtoSegments(segments: readonly StoredSegment[], fileNames: readonly string[]) {
  return segments.map((segment, position) => {
    const { index, objectKey, contentType, contentStartMs, endKind, title, isSizeEstimate, location } =
      segment;
    return {
      index,
      objectKey,
      fileName: fileNames[position] ?? '',
      contentType,
      startMs: BigInt(segment.startMs),
      durationMs: BigInt(segment.durationMs),
      sizeBytes: BigInt(segment.sizeBytes),
      ...(contentStartMs === undefined ? {} : { contentStartMs: BigInt(contentStartMs) }),
      ...(endKind === undefined ? {} : { endKind }),
      ...(title === undefined ? {} : { title }),
      ...(isSizeEstimate === undefined ? {} : { sizeIsEstimate: isSizeEstimate }),
      ...(location === undefined ? {} : { location }),
    };
  });
}

export function toMs(samples: number, sampleRateHz: number): number {
  return Math.round((samples * 1000) / sampleRateHz);
}
