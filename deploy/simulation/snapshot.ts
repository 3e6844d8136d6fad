/** What the services' tables say at one moment, in one statement and so in one state. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface JobState {
  readonly id: string;
  readonly accountId: string;
  readonly status: 'queued' | 'processing' | 'completed' | 'failed';
  readonly fence: number;
  readonly attempts: number;
  readonly isDispatched: boolean;
  readonly createdAtMs: number;
  readonly sourceDurationMs: number | null;
  readonly segmentCount: number | null;
  readonly areSegmentsExpired: boolean;
  readonly webhookUrl: string | null;
  /** Tells what the job's creator wished, see accounts.ts. */
  readonly wish: string;
}

export interface Snapshot {
  readonly jobs: readonly JobState[];
  readonly queues: readonly {
    readonly accountId: string;
    readonly queued: number;
    readonly dispatched: number;
    readonly processing: number;
    readonly completed: number;
    readonly failed: number;
    readonly cap: number | null;
  }[];
  readonly segments: readonly {
    readonly jobId: string;
    readonly objectKey: string;
    readonly sizeBytes: number;
  }[];
  readonly usage: readonly {
    readonly jobId: string;
    readonly accountId: string;
    readonly status: 'completed' | 'failed';
    readonly durationMs: number;
    readonly storedBytes: number;
  }[];
  /** Billed periods with what their usage adds up to now. */
  readonly endedPeriods: readonly {
    readonly accountId: string;
    readonly includedMinutes: number;
    readonly overageMinutes: number;
    readonly usedMs: number;
  }[];
  readonly outboxRows: number;
}

const list = (select: string) => `(select coalesce(json_agg(found), '[]') from (${select}) as found)`;

const SNAPSHOT = {
  name: 'snapshot',
  text: `select json_build_object(
    'jobs', ${list(`select id, account_id as "accountId", status, fence, attempts, dispatched_at is not null as "isDispatched",
      (extract(epoch from created_at) * 1000)::bigint as "createdAtMs", source_duration_ms as "sourceDurationMs",
      segment_count as "segmentCount", segments_expired_at is not null as "areSegmentsExpired",
      webhook_url as "webhookUrl", metadata ->> 'wish' as wish from jobs.jobs order by id`)},
    'queues', ${list(`select account_id as "accountId", queued, dispatched, processing, completed, failed,
      concurrent_jobs as cap from jobs.account_queues left join jobs.account_limits using (account_id)`)},
    'segments', ${list('select job_id as "jobId", object_key as "objectKey", size_bytes as "sizeBytes" from jobs.segments')},
    'usage', ${list(`select job_id as "jobId", account_id as "accountId", status, source_duration_ms as "durationMs",
      stored_bytes as "storedBytes" from billing.job_usage`)},
    'endedPeriods', ${list(`select account_id as "accountId", included_minutes as "includedMinutes",
      overage_minutes as "overageMinutes", (select coalesce(sum(source_duration_ms), 0) from billing.job_usage u
        where u.account_id = e.account_id and u.status = 'completed'
          and counted_at >= period_start and counted_at < period_end) as "usedMs" from billing.ended_periods e`)},
    'outboxRows', (select count(*) from jobs.outbox) + (select count(*) from billing.outbox)
  ) as snapshot`,
};

export async function takeSnapshot(db: Queryable): Promise<Snapshot> {
  const { rows } = await db.query<{ snapshot: Snapshot }>(SNAPSHOT);
  const snapshot = rows[0]?.snapshot;
  if (snapshot === undefined) throw new Error('the database gives no snapshot');
  return snapshot;
}

/** Of what is settled only in the end. */
export interface FinalState {
  readonly paidCents: readonly { readonly accountId: string; readonly cents: number }[];
  readonly charges: readonly { readonly id: string; readonly state: string; readonly accountId: string }[];
  readonly deliveries: readonly {
    readonly jobId: string;
    readonly type: string;
    readonly status: string;
  }[];
}

export async function readFinalState(db: Queryable): Promise<FinalState> {
  const { rows } = await db.query<{ state: FinalState }>(`select json_build_object(
    'paidCents', ${list(`select account_id as "accountId", sum(amount_cents)::bigint as cents from billing.invoices
      where status = 'paid' group by account_id`)},
    'charges', ${list('select id, state, account_id as "accountId" from billing.charges')},
    'deliveries', ${list('select subject as "jobId", type, status from webhooks.deliveries')}
  ) as state`);
  const state = rows[0]?.state;
  if (state === undefined) throw new Error('the database gives no final state');
  return state;
}
