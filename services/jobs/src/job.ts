/**
 * A split job and the rules of its life. Pure.
 *
 *     queued ──claim──▶ processing ──complete──▶ completed
 *       │                 │    ▲ └──fail───────▶ failed
 *       └──cancel──▶ failed    └ retry: stays processing, at most MAX_ATTEMPTS attempts
 */
import type { JobStatus, OutputFormat } from '@audiosplit/proto/vocabulary';
import type { JsonObject } from '@bufbuild/protobuf';
import { isDryRun } from './cut-json.ts';
import { isAvailable, type Lease, type LeaseState, MAX_ATTEMPTS } from './work-item.ts';

export type { JobStatus, OutputFormat };

/** Beyond this number a creation is refused. */
export const MAX_QUEUED_PER_ACCOUNT = 1_000;

/** Keeps splitters busy until the account's next offers reach them. */
export const MAX_OFFERS_PER_ACCOUNT = 5;

export interface SplitRequest {
  readonly sourceUrl: string;
  /** Set if the source is an upload of the account. */
  readonly uploadKey: string | undefined;
  /** The names of the headers sent with requests for the source, in lower case. */
  readonly sourceHeaderNames: readonly string[];
  /** The connection to the bucket with the source; undefined for other sources. */
  readonly sourceConnectionId: string | undefined;
  /** An additional place for the segments. */
  readonly destination: Destination | undefined;
  /** The message Cut as JSON. Apart from `cut-json.ts`, only the gateway and the splitter interpret it. */
  readonly cut: JsonObject;
  /** Absent: the source's own format. */
  readonly outputFormat: OutputFormat | undefined;
}

/** A folder in a bucket of the account. */
export interface Destination {
  /** Name or id of the connection, as given by the caller. */
  readonly connection: string;
  readonly connectionId: string;
  /** As given by the caller. */
  readonly prefix: string;
  /** Whether the segments are stored with us, too. */
  readonly keepCopy: boolean;
}

export interface NewJob {
  readonly id: string;
  readonly accountId: string;
  readonly request: SplitRequest;
  readonly webhookUrl: string | undefined;
  /** JSON text. */
  readonly metadata: string | undefined;
  /** The size of the source, if its inspection returned it. */
  readonly inspectedBytes: number | undefined;
}

/** How much of the limits for fetching the source all attempts together have used. */
export interface SourceUse {
  /** Time spent waiting for the source. */
  readonly fetchMs: number;
  /** Transfers that broke and were resumed. */
  readonly resumes: number;
}

export interface Segment {
  readonly index: number;
  /** Empty if the job is a dry run. */
  readonly objectKey: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly sizeBytes: number;
  readonly contentStartMs?: number;
  /** The reason for its end position, as named by splitters. */
  readonly endKind?: string;
  readonly title?: string;
  readonly sizeIsEstimate?: boolean;
  /** In the bucket of the job's destination, as `s3://bucket/key`. */
  readonly location?: string;
}

export interface Loudness {
  readonly measuredLufs?: number;
  readonly gainDb: number;
  readonly truePeakDbtp?: number;
}

export interface JobError {
  readonly code: string;
  readonly message: string;
}

export interface Job extends NewJob, LeaseState {
  readonly batchId: string | undefined;
  readonly status: JobStatus;
  /** The headers of its trace, until it ends. */
  readonly trace: Readonly<Record<string, string>>;
  readonly progressPercent: number;
  /** While the source is being fetched. */
  readonly fetching: FetchProgress | undefined;
  readonly deadlineAt: Date | undefined;
  /** Its parts are leased instead of the job (`part.ts`). Stays true after the job has ended. */
  readonly isDivided: boolean;
  /** It was divided, but its parts could not be completed. */
  readonly isIndivisible: boolean;
  readonly sourceUse: SourceUse;
  /** The minutes that it will use, once a worker has reported them. */
  readonly neededMs: number | undefined;
  /** Its reservation of the account's minutes while a worker has it; undefined: unbounded. */
  readonly reservedMs: number | undefined;
  readonly sourceFileName: string | undefined;
  readonly sourceDurationMs: number | undefined;
  readonly isSourceDurationEstimate: boolean;
  readonly sourceSizeBytes: number | undefined;
  readonly segmentCount: number | undefined;
  readonly storedBytes: number | undefined;
  /** The metered duration; undefined: the length of the source. */
  readonly meteredMs: number | undefined;
  readonly loudness: Loudness | undefined;
  readonly error: JobError | undefined;
  readonly createdAt: Date;
  readonly completedAt: Date | undefined;
  readonly failedAt: Date | undefined;
  readonly segmentsExpiredAt: Date | undefined;
}

export type JobRef = Pick<Job, 'id' | 'accountId'>;

export interface FetchProgress {
  readonly fetchedBytes: number;
  /** Undefined if the source does not state its size. */
  readonly totalBytes: number | undefined;
}

export type JobProgress = Pick<Job, 'id' | 'status' | 'progressPercent' | 'fetching'>;

export interface JobOutcome {
  readonly segments: readonly Segment[];
  readonly outputFormat: OutputFormat;
  readonly sourceFileName: string;
  readonly sourceDurationMs: number;
  readonly isSourceDurationEstimate?: boolean;
  readonly sourceSizeBytes: number;
  readonly meteredMs?: number | undefined;
  readonly loudness?: Loudness | undefined;
}

export interface AccountLimits {
  readonly concurrentJobs: number;
  readonly maxFileSizeBytes: number;
  /** The limit for all segments of a job together; undefined if an earlier release saved the limits. */
  readonly maxOutputBytes?: number | undefined;
  readonly overageAllowed: boolean;
  /** Billing accepts no more overage in this period. */
  readonly spendLimitReached: boolean;
  /** For messages. Undefined: no limit, or saved by an earlier release. */
  readonly spendLimitCents?: number | undefined;
  /** For messages. Undefined if an earlier release saved the limits. */
  readonly monthlyMinutes?: number | undefined;
  readonly revision: number;
}

/**
 * Whether a worker may claim the job at `now`, judging by the job alone; the account's cap is checked in
 * addition.
 */
export function isClaimable(job: Job, now: Date): boolean {
  return job.isUnfinished && !job.isDivided && isAvailable(job, now);
}

export function isPastDeadline(job: Job, now: Date): boolean {
  return job.deadlineAt !== undefined && job.deadlineAt.getTime() <= now.getTime();
}

/**
 * Whether the job's owner has ended the lease, by canceling or deleting the job. For a job, the fence shows
 * whether the cancel directly followed the attempt; for a part, it is deleted with the part.
 */
export function isEndedByOwner(job: Job | undefined, { part, fence }: Lease): boolean {
  if (job === undefined) return true;
  return job.error?.code === CANCELED.code && (part !== undefined || job.fence === fence + 1);
}

/** A dry run describes the result of a job; it has no files to be fetched later. */
export const DRY_RUN_RETENTION_MS = 24 * 3_600_000;

/** Undefined unless the job has completed and its segments have not been removed. */
export function segmentsKeptUntil(
  { completedAt, segmentsExpiredAt, request }: Job,
  retentionMs: number,
): Date | undefined {
  if (segmentsExpiredAt !== undefined) return undefined;
  const keptMs = isDryRun(request.cut) ? Math.min(DRY_RUN_RETENTION_MS, retentionMs) : retentionMs;
  return completedAt && new Date(completedAt.getTime() + keptMs);
}

export const TIMED_OUT: JobError = {
  code: 'TIMED_OUT',
  message: 'The job took longer than is allowed. Try a shorter source, or another time.',
};

export const GIVEN_UP: JobError = {
  code: 'INTERNAL_ERROR',
  message: `The job was interrupted ${MAX_ATTEMPTS} times and has been given up. Create it again; tell us if it keeps happening.`,
};

export const CANCELED: JobError = { code: 'CANCELED', message: 'The job was canceled.' };

/** The prefix of everything that any attempt of a job has stored. */
export function objectPrefixOf(jobId: string): string {
  return `jobs/${jobId}/`;
}

/** The prefix of the files that the account's holder has uploaded through the gateway. */
export function uploadsPrefixOf(accountId: string): string {
  return `uploads/${accountId}/`;
}

/** Undefined if no segment has an object. */
export function faultOfObjects(segments: readonly Segment[]): string | undefined {
  return segments.every(({ objectKey }) => objectKey === '')
    ? undefined
    : 'must have no objects: the job is a dry run, or keeps no copy';
}

/** Whether the job stores nothing with us. True only for dry runs, and for destinations without a copy. */
export function hasNoObjects({ cut, destination }: SplitRequest): boolean {
  return isDryRun(cut) || destination?.keepCopy === false;
}

/** Undefined if all segments lie below the prefix: a worker could make another account's objects its job's result. */
export function faultOfKeys(prefix: string, segments: readonly Segment[]): string | undefined {
  return segments.every(({ objectKey }) => objectKey.startsWith(prefix))
    ? undefined
    : `must lie below ${prefix}`;
}

/** The prefix of one attempt: attempts never touch one another's objects. */
export function attemptPrefixOf(jobId: string, fence: number): string {
  return `${objectPrefixOf(jobId)}${fence}/`;
}
