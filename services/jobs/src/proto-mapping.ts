/** proto → domain → proto, for both services of this process. */

import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { BUCKET_ADDRESS_FAULT, isBucketAddress, parseBucketAddress } from '@audiosplit/proto/bucket-address';
import { jobStatuses, outputFormats } from '@audiosplit/proto/enum-words';
import type { AccountLimits as ProtoLimits } from '@audiosplit/proto/events/v1/events';
import { type Cut, CutSchema } from '@audiosplit/proto/jobs/v1/cut';
import {
  BatchSchema,
  JobProgressSchema,
  JobSchema,
  type Batch as ProtoBatch,
  type Destination as ProtoDestination,
  type FetchProgress as ProtoFetchProgress,
  OutputFormat as ProtoFormat,
  type Job as ProtoJob,
  type Loudness as ProtoLoudness,
  type JobProgress as ProtoProgress,
  type SplitRequest as ProtoRequest,
  type Segment as ProtoSegment,
  type SourceUse as ProtoSourceUse,
  UploadState as ProtoUploadState,
  SplitRequestSchema,
  type UploadReport,
} from '@audiosplit/proto/jobs/v1/jobs';
import { readCut, toPreviousCut } from '@audiosplit/proto/previous-cut';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { create, fromJson, type JsonObject, toJson } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { faultOfFolder, faultOfKey, toFolder } from './connections/bucket-keys.ts';
import {
  type AccountLimits,
  type Destination,
  type FetchProgress,
  type Job,
  type JobProgress,
  type Loudness,
  type OutputFormat,
  type Segment,
  type SourceUse,
  type SplitRequest,
  uploadsPrefixOf,
} from './job.ts';
import type { Batch } from './store/batches.ts';
import type { ReportedUpload, UploadState } from './store/uploads/uploads.ts';

const MAX_URL_LENGTH = 2_048;
/** Of their columns. */
const MAX_FETCH_MS = 2_147_483_647;
const MAX_RESUMES = 32_767;

/** Throws InvalidParamsError, naming the public field. */
export function fromProtoRequest(
  request: ProtoRequest | undefined,
  accountId: string,
  sourceHeaders: SourceHeaders,
): SplitRequest {
  if (request === undefined) throw new InvalidParamsError('sourceUrl', 'is required');
  return {
    ...fromProtoSource(request, accountId),
    sourceHeaderNames: Object.keys(sourceHeaders).sort(),
    sourceConnectionId: undefined,
    destination: undefined,
    ...fromProtoSettings(request),
  };
}

/** Also of a request without a source. */
export function fromProtoSettings(
  request: ProtoRequest | undefined,
): Pick<SplitRequest, 'cut' | 'outputFormat'> {
  if (request === undefined) throw new InvalidParamsError('settings', 'is required');
  return {
    cut: cutFromProto(readCut(request)),
    outputFormat: outputFormatFromProto(request.outputFormat),
  };
}

export function fromProtoSource(
  { sourceUrl, uploadKey }: Pick<ProtoRequest, 'sourceUrl' | 'uploadKey'>,
  accountId: string,
): Pick<SplitRequest, 'sourceUrl' | 'uploadKey'> {
  if (isBucketAddress(sourceUrl)) return fromBucketAddress(sourceUrl);
  const url = URL.parse(sourceUrl);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || sourceUrl.length > MAX_URL_LENGTH) {
    throw new InvalidParamsError(
      'sourceUrl',
      `must be an http or https URL of at most ${MAX_URL_LENGTH} characters`,
    );
  }
  if (uploadKey !== undefined && !uploadKey.startsWith(uploadsPrefixOf(accountId))) {
    throw new InvalidParamsError('sourceUrl', 'is not an upload of this account');
  }
  return { sourceUrl, uploadKey };
}

/** The connection is looked up when the job is created. */
export function fromProtoDestination(
  destination: ProtoDestination | undefined,
): Omit<Destination, 'connectionId'> | undefined {
  if (destination === undefined) return undefined;
  const { connection, prefix, keepCopy } = destination;
  const fault = faultOfFolder(toFolder(prefix));
  if (fault !== undefined) throw new InvalidParamsError('destination.prefix', fault);
  return { connection, prefix, keepCopy };
}

/** The connection is looked up when the job is created. */
function fromBucketAddress(sourceUrl: string): Pick<SplitRequest, 'sourceUrl' | 'uploadKey'> {
  const address = parseBucketAddress(sourceUrl);
  const fault = address === undefined ? BUCKET_ADDRESS_FAULT : faultOfKey(address.key);
  if (fault !== undefined) throw new InvalidParamsError('sourceUrl', fault);
  return { sourceUrl, uploadKey: undefined };
}

/** Undefined: the format of the source. */
function outputFormatFromProto(value: ProtoFormat): OutputFormat | undefined {
  if (value === ProtoFormat.UNSPECIFIED) return undefined;
  const word = outputFormats.toWord(value);
  // A newer gateway may name an unknown format, which must not be taken for none.
  if (word === undefined) throw new InvalidParamsError('outputFormat', 'is not known to this version');
  return word;
}

function cutFromProto(cut: Cut | undefined): JsonObject {
  if (cut?.mode.case === undefined) throw new InvalidParamsError('splitMode', 'is not known to this version');
  return toJson(CutSchema, cut) as JsonObject;
}

export function toProtoCut(cut: JsonObject): Cut {
  // A newer version may have stored fields that this one does not know.
  return fromJson(CutSchema, cut, { ignoreUnknownFields: true });
}

export function toProtoRequest({
  sourceUrl,
  uploadKey,
  sourceHeaderNames,
  destination,
  cut: json,
  outputFormat,
}: SplitRequest): ProtoRequest {
  const cut = toProtoCut(json);
  return create(SplitRequestSchema, {
    sourceUrl,
    ...(uploadKey === undefined ? {} : { uploadKey }),
    sourceHeaderNames: [...sourceHeaderNames],
    ...(destination === undefined ? {} : { destination: toProtoDestination(destination) }),
    cut,
    ...toPreviousCut(cut),
    outputFormat: outputFormat === undefined ? ProtoFormat.UNSPECIFIED : outputFormats.toEnum(outputFormat),
  });
}

function toProtoDestination({ connection, prefix, keepCopy }: Destination) {
  return { connection, prefix, keepCopy };
}

export function toProtoSourceUse({ fetchMs, resumes }: SourceUse) {
  return { fetchMs: BigInt(fetchMs), resumes };
}

export function fromProtoSourceUse(use: ProtoSourceUse | undefined): SourceUse | undefined {
  if (use === undefined) return undefined;
  const within = (value: number, max: number) => Math.min(Math.max(0, value), max);
  return {
    fetchMs: within(Number(use.fetchMs), MAX_FETCH_MS),
    resumes: within(use.resumes, MAX_RESUMES),
  };
}

interface JobDetails {
  readonly segments?: readonly Segment[];
  readonly keptUntil?: Date;
  /** Position of a queued job in the account's queue. */
  readonly queuePosition?: number | undefined;
}

export function toProtoJob(job: Job, { segments = [], keptUntil, queuePosition }: JobDetails = {}): ProtoJob {
  return create(JobSchema, {
    id: job.id,
    status: jobStatuses.toEnum(job.status),
    request: toProtoRequest(job.request),
    progressPercent: job.progressPercent,
    segments: segments.map((segment) => ({
      ...segment,
      startMs: BigInt(segment.startMs),
      durationMs: BigInt(segment.durationMs),
      sizeBytes: BigInt(segment.sizeBytes),
      contentStartMs: segment.contentStartMs === undefined ? undefined : BigInt(segment.contentStartMs),
    })),
    createdAt: timestampFromDate(job.createdAt),
    ...(job.webhookUrl === undefined ? {} : { webhookUrl: job.webhookUrl }),
    ...(job.metadata === undefined ? {} : { metadataJson: job.metadata }),
    ...(job.sourceFileName === undefined ? {} : { sourceFileName: job.sourceFileName }),
    ...(job.sourceDurationMs === undefined ? {} : { sourceDurationMs: BigInt(job.sourceDurationMs) }),
    sourceDurationIsEstimate: job.isSourceDurationEstimate,
    ...(job.sourceSizeBytes === undefined ? {} : { sourceSizeBytes: BigInt(job.sourceSizeBytes) }),
    ...(job.segmentCount === undefined ? {} : { segmentCount: job.segmentCount }),
    ...(job.error === undefined ? {} : { error: { code: job.error.code, message: job.error.message } }),
    ...(job.completedAt === undefined ? {} : { completedAt: timestampFromDate(job.completedAt) }),
    ...(job.failedAt === undefined ? {} : { failedAt: timestampFromDate(job.failedAt) }),
    ...(job.segmentsExpiredAt === undefined
      ? {}
      : { segmentsExpiredAt: timestampFromDate(job.segmentsExpiredAt) }),
    ...(job.fetching === undefined ? {} : { fetching: toProtoFetching(job.fetching) }),
    ...(job.loudness === undefined ? {} : { loudness: job.loudness }),
    ...(keptUntil === undefined ? {} : { segmentsKeptUntil: timestampFromDate(keptUntil) }),
    ...(queuePosition === undefined ? {} : { queuePosition }),
    ...(job.batchId === undefined ? {} : { batchId: job.batchId }),
  });
}

export function toProtoProgress({ id, status, progressPercent, fetching }: JobProgress): ProtoProgress {
  return create(JobProgressSchema, {
    jobId: id,
    status: jobStatuses.toEnum(status),
    progressPercent,
    ...(fetching === undefined ? {} : { fetching: toProtoFetching(fetching) }),
  });
}

function toProtoFetching({ fetchedBytes, totalBytes }: FetchProgress) {
  return {
    fetchedBytes: BigInt(fetchedBytes),
    ...(totalBytes === undefined ? {} : { totalBytes: BigInt(totalBytes) }),
  };
}

export function fromProtoFetching({ fetchedBytes, totalBytes }: ProtoFetchProgress): FetchProgress {
  return {
    fetchedBytes: Number(fetchedBytes),
    totalBytes: totalBytes === undefined ? undefined : Number(totalBytes),
  };
}

export function fromProtoSegment(segment: ProtoSegment): Segment {
  return {
    index: segment.index,
    objectKey: segment.objectKey,
    fileName: segment.fileName,
    contentType: segment.contentType,
    startMs: Number(segment.startMs),
    durationMs: Number(segment.durationMs),
    sizeBytes: Number(segment.sizeBytes),
    ...(segment.contentStartMs === undefined ? {} : { contentStartMs: Number(segment.contentStartMs) }),
    ...(segment.endKind === undefined ? {} : { endKind: segment.endKind }),
    ...(segment.title === undefined ? {} : { title: segment.title }),
    ...(segment.sizeIsEstimate ? { sizeIsEstimate: true } : {}),
    ...(segment.location === undefined ? {} : { location: segment.location }),
  };
}

export function fromProtoLoudness({ measuredLufs, gainDb, truePeakDbtp }: ProtoLoudness): Loudness {
  return {
    ...(measuredLufs === undefined ? {} : { measuredLufs }),
    gainDb,
    ...(truePeakDbtp === undefined ? {} : { truePeakDbtp }),
  };
}

export function fromProtoLimits(limits: ProtoLimits): AccountLimits {
  return {
    revision: Number(limits.revision),
    concurrentJobs: limits.concurrentJobs,
    maxFileSizeBytes: Number(limits.maxFileSizeBytes),
    ...(limits.maxOutputBytes === undefined ? {} : { maxOutputBytes: Number(limits.maxOutputBytes) }),
    overageAllowed: limits.overageAllowed,
    spendLimitReached: limits.spendLimitReached,
    ...(limits.spendLimitCents === undefined ? {} : { spendLimitCents: Number(limits.spendLimitCents) }),
    monthlyMinutes: limits.monthlyMinutes,
  };
}

export function fromProtoUpload(report: UploadReport): ReportedUpload {
  const { uploadId, accountId, state, receivedBytes, announcedBytes, expiresAt } = report;
  const known = UPLOAD_STATES.get(state);
  if (known === undefined) throw new InvalidParamsError('state', 'is not known to this version');
  if (expiresAt === undefined) throw new InvalidParamsError('expiresAt', 'is required');
  return {
    id: uploadId,
    accountId,
    state: known,
    receivedBytes: Number(receivedBytes),
    announcedBytes: announcedBytes === undefined ? undefined : Number(announcedBytes),
    expiresAt: timestampDate(expiresAt),
  };
}

const UPLOAD_STATES = new Map<ProtoUploadState, UploadState>([
  [ProtoUploadState.RECEIVING, 'receiving'],
  [ProtoUploadState.STORED, 'stored'],
  [ProtoUploadState.BROKEN_OFF, 'brokenOff'],
]);

export function toProtoBatch({ createdAt, ...batch }: Batch): ProtoBatch {
  return create(BatchSchema, { ...batch, createdAt: timestampFromDate(createdAt) });
}
