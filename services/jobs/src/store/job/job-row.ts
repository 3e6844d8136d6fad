import type { JsonObject } from '@bufbuild/protobuf';
import { LISTS_OF_POSITIONS } from '../../cut-json.ts';
import type { Destination, FetchProgress, Job, JobStatus, Loudness, OutputFormat } from '../../job.ts';
import { CUT } from './previous-cut-columns.ts';

export interface JobRow {
  id: string;
  account_id: string;
  status: JobStatus;
  source_url: string;
  upload_key: string | null;
  source_header_names: string[] | null;
  source_connection_id: string | null;
  destination: Destination | null;
  batch_id: string | null;
  cut: JsonObject;
  output_format: OutputFormat | null;
  webhook_url: string | null;
  metadata_text: string | null;
  trace: Record<string, string>;
  dispatched_at: Date | null;
  fence: number;
  attempts: number;
  lease_until: Date | null;
  worker_id: string | null;
  deadline_at: Date | null;
  is_divided: boolean;
  stays_whole: boolean;
  source_fetch_ms: number | null;
  source_resumes: number | null;
  inspected_bytes: number | null;
  needed_ms: number | null;
  reserved_ms: number | null;
  progress_percent: number;
  fetched_bytes: number | null;
  fetch_total_bytes: number | null;
  source_file_name: string | null;
  source_duration_ms: number | null;
  source_duration_is_estimate: boolean | null;
  source_size_bytes: number | null;
  segment_count: number | null;
  stored_bytes: number | null;
  metered_ms: number | null;
  loudness: Loudness | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  completed_at: Date | null;
  failed_at: Date | null;
  segments_expired_at: Date | null;
}

const columnsWith = (cut: string) =>
  `id, account_id, status, source_url, upload_key, source_header_names, source_connection_id, destination, batch_id, ${cut} as cut, output_format, webhook_url, metadata::text as metadata_text, trace, dispatched_at, fence, attempts, lease_until, worker_id,
  deadline_at, is_divided, stays_whole, source_fetch_ms, source_resumes, inspected_bytes, needed_ms, reserved_ms, progress_percent, fetched_bytes, fetch_total_bytes,
  source_file_name, source_duration_ms, source_duration_is_estimate, source_size_bytes, segment_count, stored_bytes, metered_ms, loudness,
  error_code, error_message, created_at, completed_at, failed_at, segments_expired_at`;

export const JOB_COLUMNS = columnsWith(CUT);

/** For pages of jobs, which must fit into a message: without the positions of their cuts. */
export const LISTED_JOB_COLUMNS = columnsWith(
  `(${CUT})${LISTS_OF_POSITIONS.map(([mode, list]) => ` #- '{${mode},${list}}'`).join('')}`,
);

export function fromRow(row: JobRow): Job {
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    request: {
      sourceUrl: row.source_url,
      uploadKey: row.upload_key ?? undefined,
      sourceHeaderNames: row.source_header_names ?? [],
      sourceConnectionId: row.source_connection_id ?? undefined,
      destination: row.destination ?? undefined,
      cut: row.cut,
      outputFormat: row.output_format ?? undefined,
    },
    batchId: row.batch_id ?? undefined,
    webhookUrl: row.webhook_url ?? undefined,
    metadata: row.metadata_text ?? undefined,
    trace: row.trace,
    isUnfinished: row.status === 'queued' || row.status === 'processing',
    dispatchedAt: row.dispatched_at ?? undefined,
    fence: row.fence,
    attempts: row.attempts,
    leaseUntil: row.lease_until ?? undefined,
    workerId: row.worker_id ?? undefined,
    deadlineAt: row.deadline_at ?? undefined,
    isDivided: row.is_divided,
    isIndivisible: row.stays_whole,
    sourceUse: { fetchMs: row.source_fetch_ms ?? 0, resumes: row.source_resumes ?? 0 },
    inspectedBytes: row.inspected_bytes ?? undefined,
    neededMs: row.needed_ms ?? undefined,
    reservedMs: row.reserved_ms ?? undefined,
    progressPercent: row.progress_percent,
    fetching: fetchingFromRow(row),
    sourceFileName: row.source_file_name ?? undefined,
    sourceDurationMs: row.source_duration_ms ?? undefined,
    isSourceDurationEstimate: row.source_duration_is_estimate ?? false,
    sourceSizeBytes: row.source_size_bytes ?? undefined,
    segmentCount: row.segment_count ?? undefined,
    storedBytes: row.stored_bytes ?? undefined,
    meteredMs: row.metered_ms ?? undefined,
    loudness: row.loudness ?? undefined,
    error: row.error_code === null ? undefined : { code: row.error_code, message: row.error_message ?? '' },
    createdAt: row.created_at,
    completedAt: row.completed_at ?? undefined,
    failedAt: row.failed_at ?? undefined,
    segmentsExpiredAt: row.segments_expired_at ?? undefined,
  };
}

export function fetchingFromRow(
  row: Pick<JobRow, 'status' | 'fetched_bytes' | 'fetch_total_bytes'>,
): FetchProgress | undefined {
  // An older version leaves this value in jobs that it ends.
  if (row.status !== 'processing' || row.fetched_bytes === null) return undefined;
  return { fetchedBytes: row.fetched_bytes, totalBytes: row.fetch_total_bytes ?? undefined };
}
