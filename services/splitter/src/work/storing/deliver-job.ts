/** Stores the segments of a job at its destination, with a manifest. */
import { toCutFields } from '@audiosplit/proto/cut';
import { outputFormats } from '@audiosplit/proto/enum-words';
import type { ClaimJobResponse, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { readCut } from '@audiosplit/proto/previous-cut';
import type { OpenBucket } from '../../bucket/open-bucket.ts';
import type { AccountPlaces } from '../shares/account-places.ts';
import { deliver } from './deliver.ts';
import type { StoredSegment } from './segment-upload.ts';
import type { Staging } from './staging.ts';

export interface Destinations {
  readonly openBucket: OpenBucket;
  /** Slots for objects in transfer, each of which uses memory. */
  readonly transfers: AccountPlaces;
}

interface Outcome {
  readonly outputFormat: OutputFormat;
  readonly sourceFileName: string;
  readonly sourceDurationMs: bigint;
  readonly sourceDurationIsEstimate?: boolean;
  readonly sourceSizeBytes: bigint;
}

interface DeliveredJob {
  readonly jobId: string;
  readonly claim: ClaimJobResponse;
  readonly outcome: Outcome;
  readonly segments: readonly StoredSegment[];
  /** In the order of the segments. */
  readonly fileNames: readonly string[];
}

/** The same segments with their locations. Throws DestinationError, or the signal's reason. */
export async function deliverJob(
  { openBucket, transfers }: Destinations,
  job: DeliveredJob,
  staging: Staging,
  signal: AbortSignal,
): Promise<readonly StoredSegment[]> {
  const { jobId, claim, segments, fileNames } = job;
  const { accountId, destinationBucket, request } = claim;
  if (destinationBucket === undefined) return segments;
  using bucket = openBucket(destinationBucket, accountId, signal);
  const prefix = request?.destination?.prefix ?? '';
  const folder = `${prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`}${jobId}/`;
  const files = segments.map((segment, position) => ({
    name: fileNames[position] ?? String(segment.index),
    contentType: segment.contentType,
    read: () => staging.read(segment),
  }));
  const located = (locations: readonly string[]) =>
    segments.map((segment, position) => ({ ...segment, location: locations[position] ?? '' }));
  const locations = await deliver({ bucket, folder, accountId, transfers, signal }, files, (known) =>
    manifestOf(job, located(known)),
  );
  return located(locations);
}

/** The job as the API returns it, as far as a splitter knows it. */
function manifestOf(
  { jobId, claim, outcome, fileNames }: DeliveredJob,
  segments: readonly StoredSegment[],
): object {
  const { request } = claim;
  return {
    id: jobId,
    status: 'completed',
    ...(request === undefined ? {} : toCutFields(readCut(request))),
    outputFormat: outputFormats.toWord(outcome.outputFormat),
    sourceFileName: outcome.sourceFileName,
    sourceDuration: Math.round(Number(outcome.sourceDurationMs) / 1_000),
    ...(outcome.sourceDurationIsEstimate === true ? { sourceDurationIsEstimate: true } : {}),
    sourceSize: Number(outcome.sourceSizeBytes),
    segments: segments.map(
      ({ index, startMs, durationMs, contentStartMs, endKind, title, sizeBytes, location }, n) => ({
        index,
        startTime: startMs / 1_000,
        ...(contentStartMs === undefined ? {} : { contentStart: contentStartMs / 1_000 }),
        endTime: (startMs + durationMs) / 1_000,
        duration: Math.max(1, Math.round(durationMs / 1_000)),
        ...(endKind === undefined ? {} : { cut: endKind }),
        ...(title === undefined ? {} : { title }),
        fileName: fileNames[n],
        size: sizeBytes,
        location,
      }),
    ),
  };
}
