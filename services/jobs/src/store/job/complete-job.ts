/** Completes a job in one statement: result, counters, usage and event. */
import { type OutboxMessage, outboxValues } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, Segment } from '../../job.ts';
import { insertSegments, segmentValues } from './segments.ts';

const COMPLETE_JOB = `with completed as (
    update jobs
    set status = 'completed', completed_at = now(), progress_percent = 100, lease_until = null, worker_id = null, trace = default,
        fetched_bytes = null, fetch_total_bytes = null, reserved_ms = null,
        output_format = $3, source_file_name = $4, source_duration_ms = $5, source_size_bytes = $6,
        segment_count = $7, stored_bytes = $8, metered_ms = $9, loudness = $10,
        source_duration_is_estimate = nullif($11::boolean, false)
    where id = $1
  ), cut as (
    ${insertSegments(17)}
  ), used as (
    insert into unsettled_usage (job_id, account_id, metered_ms) select $1, $2, $12::bigint where $12::bigint > 0
  ), counted as (
    update account_queues set processing = processing - 1, completed = completed + 1 where account_id = $2
  )
  insert into outbox (topic, key, value, headers) values ($13, $14, $15::bytea, $16::jsonb)`;

export interface Completion {
  /** The job with its result. */
  readonly job: Job;
  readonly segments: readonly Segment[];
  readonly usedMs: number;
  readonly event: OutboxMessage;
}

/**
 * The caller holds the locks of the account's queue row and of the job. It is not async, so that an event which is too
 * large throws before the commit is sent.
 */
export function completeJob(db: Queryable, { job, segments, usedMs, event }: Completion): Promise<unknown> {
  return db.query(COMPLETE_JOB, [
    job.id,
    job.accountId,
    job.request.outputFormat,
    job.sourceFileName,
    job.sourceDurationMs,
    job.sourceSizeBytes,
    job.segmentCount,
    job.storedBytes,
    job.meteredMs ?? null,
    job.loudness === undefined ? null : JSON.stringify(job.loudness),
    job.isSourceDurationEstimate,
    usedMs,
    ...outboxValues(db, event),
    ...segmentValues(segments),
  ]);
}
