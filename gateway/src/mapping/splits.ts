import { SEGMENT_ENDS, toCutFields } from '@audiosplit/proto/cut';
import { toCutRow } from '@audiosplit/proto/cut-row';
import { jobStatuses, outputFormats } from '@audiosplit/proto/enum-words';
import {
  type FetchProgress,
  JobStatus,
  type Job as ProtoJob,
  type JobError as ProtoJobError,
  type Loudness as ProtoLoudness,
  type Segment as ProtoSegment,
} from '@audiosplit/proto/jobs/v1/jobs';
import { readCut } from '@audiosplit/proto/previous-cut';
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Static } from 'typebox';
import type { DownloadLinks } from '../downloads/download-links.ts';
import { JsonText } from '../http/input/json-text.ts';
import type { Segment } from '../schemas/segment.ts';
import {
  type CompletedJob,
  type FailedJob,
  type Fetching,
  JOB_ERROR_CODES,
  type Job,
  type JobErrorCode,
  type JobRow,
  type ProcessingJob,
  type ProcessingPhase,
  type QueuedJob,
} from '../schemas/splits.ts';
import { present, toIsoTime, toIsoTimeOrNull } from './messages.ts';
import { hideSecrets } from './shown-address.ts';

/** A single job, in one shape per status, with newly signed download links. */
export function fromProtoJob(answer: { readonly job?: ProtoJob | undefined }, links: DownloadLinks): Job {
  const job = present(answer.job, 'a job');
  switch (job.status) {
    case JobStatus.QUEUED:
      return toQueuedJob(job);
    case JobStatus.PROCESSING:
      return toProcessingJob(job);
    case JobStatus.COMPLETED:
      return toCompletedJob(job, links);
    case JobStatus.FAILED:
      return toFailedJob(job);
    case JobStatus.UNSPECIFIED:
      throw new Error(`job ${job.id} has no status`);
    default:
      return job.status satisfies never;
  }
}

/** The shape of a created job, which a queued job keeps. */
export function toQueuedJob(job: ProtoJob): QueuedJob {
  return {
    id: job.id,
    ...optional('batchId', job.batchId),
    status: 'queued',
    phase: 'waiting',
    ...sourceOf(job),
    ...requestFieldsOf(job),
    createdAt: toIsoTime(job.createdAt),
  };
}

export function fromProtoJobRow(job: ProtoJob): JobRow {
  const isCompleted = job.status === JobStatus.COMPLETED;
  return {
    id: job.id,
    ...optional('batchId', job.batchId),
    status: statusOf(job),
    ...toCutRow(cutFieldsOf(job)),
    ...optional('outputFormat', formatOf(job)),
    ...optional('sourceFileName', job.sourceFileName),
    segmentCount: isCompleted ? (job.segmentCount ?? null) : null,
    createdAt: toIsoTime(job.createdAt),
    completedAt: isCompleted ? toIsoTimeOrNull(job.completedAt) : null,
    ...optional('failedAt', failedAtOf(job)),
    ...optional('error', job.error && errorOf(job.error)),
  };
}

/** The body of a notification: the row of a finished job and its metadata. */
export type JobNotice = JobRow & Pick<FailedJob, 'metadata' | 'dryRun'>;

export function toJobNotice(job: ProtoJob): JobNotice {
  return {
    ...fromProtoJobRow(job),
    ...(cutFieldsOf(job).dryRun === true ? { dryRun: true } : {}),
    ...optional('metadata', metadataOf(job)),
  };
}

function toProcessingJob(job: ProtoJob): ProcessingJob {
  return {
    id: job.id,
    ...optional('batchId', job.batchId),
    status: 'processing',
    progress: job.progressPercent,
    phase: phaseOf(job),
    ...optional('fetching', job.fetching && toFetching(job.fetching)),
    ...sourceOf(job),
    ...cutFieldsOf(job),
    ...destinationOf(job),
    createdAt: toIsoTime(job.createdAt),
  };
}

function toCompletedJob(job: ProtoJob, links: DownloadLinks): CompletedJob {
  const { segmentsKeptUntil } = job;
  return toLinkedJob(job, links.signer(segmentsKeptUntil && timestampDate(segmentsKeptUntil)));
}

/** A completed job as the API returns it, but without links, because they expire. */
export function toJobManifest(job: ProtoJob): CompletedJob {
  return toLinkedJob(job, undefined);
}

type Sign = ReturnType<DownloadLinks['signer']>;

function toLinkedJob(job: ProtoJob, sign: Sign | undefined): CompletedJob {
  const { sourceDurationMs, sourceSizeBytes, segmentsExpiredAt } = job;
  return {
    id: job.id,
    ...optional('batchId', job.batchId),
    status: 'completed',
    ...sourceOf(job),
    ...cutFieldsOf(job),
    ...destinationOf(job),
    ...optional('outputFormat', formatOf(job)),
    ...optional('sourceFileName', job.sourceFileName),
    ...optional('sourceDuration', sourceDurationMs === undefined ? undefined : toSeconds(sourceDurationMs)),
    ...(job.sourceDurationIsEstimate ? { sourceDurationIsEstimate: true } : {}),
    ...optional('sourceSize', sourceSizeBytes === undefined ? undefined : Number(sourceSizeBytes)),
    segments: segmentsExpiredAt === undefined ? job.segments.map((segment) => toSegment(segment, sign)) : [],
    ...optional('loudness', job.loudness && toLoudness(job.loudness)),
    ...optional(
      'segmentsExpiredAt',
      segmentsExpiredAt === undefined ? undefined : toIsoTime(segmentsExpiredAt),
    ),
    ...optional('metadata', metadataOf(job)),
    createdAt: toIsoTime(job.createdAt),
    completedAt: toIsoTime(job.completedAt),
  };
}

function toFailedJob(job: ProtoJob): FailedJob {
  return {
    id: job.id,
    ...optional('batchId', job.batchId),
    status: 'failed',
    ...sourceOf(job),
    ...requestFieldsOf(job),
    error: errorOf(present(job.error, "a failed job's error")),
    createdAt: toIsoTime(job.createdAt),
    completedAt: null,
    ...optional('failedAt', failedAtOf(job)),
  };
}

function toSegment(segment: ProtoSegment, sign: Sign | undefined): Segment {
  const { startMs, contentStartMs, durationMs, objectKey, fileName } = segment;
  // A dry run has no files.
  const link = objectKey === '' ? undefined : sign?.(objectKey, fileName);
  return {
    index: segment.index,
    ...optional('downloadUrl', link?.url),
    startTime: toTime(startMs),
    ...optional('contentStart', contentStartMs === undefined ? undefined : toTime(contentStartMs)),
    endTime: toTime(startMs + durationMs),
    // Even the shortest segment has a positive duration.
    duration: Math.max(1, toSeconds(durationMs)),
    ...optional('cut', endOf(segment)),
    ...optional('location', segment.location),
    ...optional('title', segment.title),
    fileName,
    size: Number(segment.sizeBytes),
    ...(segment.sizeIsEstimate ? { sizeIsEstimate: true } : {}),
    ...optional('expiresAt', link?.expiresAt),
  };
}

/** A newer splitter may name ends that this version does not know. */
function endOf({ endKind }: ProtoSegment): Segment['cut'] {
  return SEGMENT_ENDS.find((known) => known === endKind);
}

function toLoudness({
  measuredLufs,
  gainDb,
  truePeakDbtp,
}: ProtoLoudness): NonNullable<CompletedJob['loudness']> {
  return { measured: measuredLufs ?? null, gain: gainDb, truePeak: truePeakDbtp ?? null };
}

function toTime(ms: bigint): number {
  return Number(ms) / 1000;
}

function toSeconds(ms: bigint): number {
  return Math.round(Number(ms) / 1000);
}

function requestFieldsOf(
  job: ProtoJob,
): Omit<QueuedJob, 'id' | 'batchId' | 'status' | 'phase' | 'sourceUrl' | 'sourceHeaderNames' | 'createdAt'> {
  return {
    ...cutFieldsOf(job),
    ...destinationOf(job),
    ...optional('outputFormat', formatOf(job)),
    ...optional('webhookUrl', job.webhookUrl),
    ...optional('metadata', metadataOf(job)),
  };
}

/** The splitter reports 99 when everything is cut and the last segments are being stored. */
const ALL_CUT_PERCENT = 99;

export function phaseOf({
  fetching,
  progressPercent,
}: Pick<ProtoJob, 'fetching' | 'progressPercent'>): ProcessingPhase {
  if (progressPercent >= ALL_CUT_PERCENT) return 'storing';
  return fetching !== undefined && progressPercent === 0 ? 'fetching' : 'cutting';
}

export function toFetching({ fetchedBytes, totalBytes }: FetchProgress): Static<typeof Fetching> {
  return {
    fetchedBytes: Number(fetchedBytes),
    ...optional('totalBytes', totalBytes === undefined ? undefined : Number(totalBytes)),
  };
}

function sourceOf({ request }: ProtoJob): Pick<QueuedJob, 'sourceUrl' | 'sourceHeaderNames'> {
  const { sourceUrl, sourceHeaderNames } = present(request, "a job's request");
  return {
    sourceUrl: hideSecrets(sourceUrl),
    ...(sourceHeaderNames.length === 0 ? {} : { sourceHeaderNames }),
  };
}

/** As given by the caller. */
function destinationOf({ request }: ProtoJob): Pick<QueuedJob, 'destination' | 'keepCopy'> {
  if (request?.destination === undefined) return {};
  const { connection, prefix, keepCopy } = request.destination;
  return {
    destination: { connection, ...(prefix === '' ? {} : { prefix }) },
    ...(keepCopy ? {} : { keepCopy }),
  };
}

function cutFieldsOf({ request }: ProtoJob) {
  return present(toCutFields(readCut(present(request, "a job's request"))), "a job's cut");
}

function formatOf(job: ProtoJob): OutputFormat | undefined {
  return outputFormats.toWord(present(job.request, "a job's request").outputFormat);
}

function statusOf(job: ProtoJob): JobRow['status'] {
  return present(jobStatuses.toWord(job.status), "a job's status");
}

function failedAtOf({ failedAt }: ProtoJob): string | undefined {
  return failedAt === undefined ? undefined : toIsoTime(failedAt);
}

function metadataOf(job: ProtoJob): JsonText | undefined {
  return job.metadataJson === undefined ? undefined : new JsonText(job.metadataJson);
}

function errorOf({ code, message }: ProtoJobError): FailedJob['error'] {
  return { code: errorCodeOf(code), message };
}

/** A newer worker may send unknown codes. */
function errorCodeOf(code: string): JobErrorCode {
  return JOB_ERROR_CODES.find((known) => known === code) ?? 'INTERNAL_ERROR';
}

/** Omits an absent field, because the API never sends null for one. */
function optional<K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]: V });
}
