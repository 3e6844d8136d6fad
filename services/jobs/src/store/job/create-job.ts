/**
 * Inserts a job, changes the account's counters and offers the job to splitters in one statement: one round
 * trip, atomic by itself.
 *
 * The upsert locks the queue's row, and its locked state decides two things: whether the account accepts
 * jobs, and whether the job is offered at once, which requires a free slot and no other waiting job. The
 * account's limits are read as they were before the wait for the lock. If they have changed meanwhile, the
 * claim may refuse the job, or the job waits for the reaper.
 */
import { type OutboxMessage, outboxValues } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { traceHeaders } from '@audiosplit/chassis/trace';
import { type Job, MAX_OFFERS_PER_ACCOUNT, MAX_QUEUED_PER_ACCOUNT, type NewJob } from '../../job.ts';
import { fromRow, JOB_COLUMNS, type JobRow } from './job-row.ts';
import { PREVIOUS_CUT_COLUMNS, previousCutOf } from './previous-cut-columns.ts';

export interface CreatedJob {
  readonly job: Job;
  readonly isOffered: boolean;
  /** Earlier jobs wait although slots are free, as after a raised limit whose event has not arrived. */
  readonly othersCouldGo: boolean;
}

const HAS_ROOM = `coalesce(not queue.awaits_minutes and queue.dispatched < ${MAX_OFFERS_PER_ACCOUNT} and queue.processing + queue.dispatched <
  (select concurrent_jobs from account_limits where account_id = $2), false)`;

const CREATE_JOB = `with queue as (
    insert into account_queues as queue (account_id, queued, dispatched)
    select $2, 1, coalesce((select concurrent_jobs > 0 from account_limits where account_id = $2), false)::int
    where not exists (select from purged_accounts where account_id = $2)
    on conflict (account_id) do update
    set queued = queue.queued + 1, dispatched = queue.dispatched + (queue.dispatched = queue.queued and ${HAS_ROOM})::int
    where not queue.closed and queue.queued < ${MAX_QUEUED_PER_ACCOUNT}
    returning dispatched = queued as offered, dispatched < queued and ${HAS_ROOM} as others_could_go
  ), created as (
    insert into jobs (id, account_id, status, source_url, cut, output_format, webhook_url, metadata, trace,
                      dispatched_at, upload_key, inspected_bytes, source_header_names, source_headers, source_connection_id, destination, ${PREVIOUS_CUT_COLUMNS})
    select $1, $2, 'queued', $3, $4::jsonb, $5, $6, $7::json, $8::jsonb, case when offered then now() end, $9, $10, $15, $16, $17, $18::jsonb,
           ${previousCutOf('$4::jsonb')}
    from queue
    returning *
  ), used as (
    delete from uploads using queue
    where uploads.id = split_part($9, '/', 3) and uploads.account_id = $2
      and coalesce(receiving_until < now(), true) and (multipart_id is null or stored_bytes > 0)
  ), offer as (
    insert into outbox (topic, key, value, headers) select $11, $12, $13::bytea, $14::jsonb from queue where offered
  )
  select ${JOB_COLUMNS}, offered, others_could_go from created, queue`;

/** Undefined if the account accepts no job: it is closed or purged, or its queue is full. */
export async function insertJob(
  db: Queryable,
  job: NewJob,
  sealedHeaders: Buffer | undefined,
  offer: OutboxMessage,
): Promise<CreatedJob | undefined> {
  const { rows } = await db.query<JobRow & { offered: boolean; others_could_go: boolean }>(CREATE_JOB, [
    job.id,
    job.accountId,
    job.request.sourceUrl,
    JSON.stringify(job.request.cut),
    job.request.outputFormat ?? null,
    job.webhookUrl ?? null,
    job.metadata ?? null,
    JSON.stringify(traceHeaders()),
    job.request.uploadKey ?? null,
    job.inspectedBytes ?? null,
    ...outboxValues(db, offer),
    sealedHeaders === undefined ? null : job.request.sourceHeaderNames,
    sealedHeaders ?? null,
    job.request.sourceConnectionId ?? null,
    job.request.destination === undefined ? null : JSON.stringify(job.request.destination),
  ]);
  const [row] = rows;
  return row && { job: fromRow(row), isOffered: row.offered, othersCouldGo: row.others_could_go };
}
