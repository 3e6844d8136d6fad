/**
 * The rows of the services' tables, kept as they change: a trigger reports each change of a row in a notice on the very
 * connection that makes it, and counts once its transaction has been committed. So the invariants have a state to look
 * at after every step and no statement is needed for it; that it is the right one is asked once at the end of a run.
 */
export interface JobState {
  readonly id: string;
  readonly accountId: string;
  readonly status: 'queued' | 'processing' | 'completed' | 'failed';
  readonly fence: number;
  readonly attempts: number;
  readonly isDispatched: boolean;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
  readonly sourceDurationMs: number | null;
  readonly segmentCount: number | null;
  readonly areSegmentsExpired: boolean;
  readonly isDivided: boolean;
  readonly webhookUrl: string | null;
  /** The creator's name for its request (accounts.ts): the same for each repetition. */
  readonly request: string;
}

export interface PartState {
  readonly jobId: string;
  readonly index: number;
  readonly accountId: string;
  readonly firstSegment: number;
  readonly segmentCount: number;
  readonly fence: number;
  readonly attempts: number;
  readonly isOnOffer: boolean;
  readonly isDone: boolean;
}

interface TableRows {
  readonly jobs: JobState;
  readonly queues: {
    readonly accountId: string;
    readonly queued: number;
    readonly dispatched: number;
    readonly processing: number;
    readonly completed: number;
    readonly failed: number;
  };
  readonly limits: { readonly accountId: string; readonly concurrentJobs: number };
  readonly divisions: { readonly jobId: string; readonly segmentCount: number };
  readonly parts: PartState;
  readonly segments: { readonly jobId: string; readonly objectKey: string; readonly sizeBytes: number };
  readonly scheduledDeletions: { readonly prefix: string; readonly deleteAfterMs: number };
  readonly purgedAccounts: { readonly accountId: string };
  readonly jobsOutbox: { readonly id: number };
  readonly billingOutbox: { readonly id: number };
  readonly usage: {
    readonly jobId: string;
    readonly accountId: string;
    readonly status: 'completed' | 'failed';
    readonly durationMs: number;
    readonly storedBytes: number;
    readonly countedAtMs: number;
  };
  readonly subscriptions: {
    readonly accountId: string;
    readonly periodEndMs: number;
    readonly hasEnded: boolean;
  };
  readonly endedPeriods: {
    readonly accountId: string;
    readonly startMs: number;
    readonly endMs: number;
    readonly includedMinutes: number;
    readonly overageMinutes: number;
  };
  readonly invoices: {
    readonly accountId: string;
    readonly number: string;
    readonly status: string;
    readonly amountCents: number;
    readonly nextChargeAtMs: number | null;
    readonly id: string;
    readonly revision: number;
    readonly drawnRevision: number;
  };
  readonly methodRemovals: { readonly accountId: string };
  readonly customerRemovals: { readonly customerId: string };
  readonly charges: { readonly id: string; readonly accountId: string; readonly state: string };
  readonly deliveries: {
    readonly jobId: string;
    readonly accountId: string;
    readonly type: string;
    readonly status: string;
    readonly nextAttemptAtMs: number | null;
    readonly number: number;
    /** How often it was claimed. */
    readonly fence: number;
  };
}

type TableName = keyof TableRows;

interface WatchedTable<Row> {
  readonly table: string;
  readonly key: readonly string[];
  /** A column, or an expression over `$row`. */
  readonly columns: Readonly<Record<keyof Row & string, string>>;
}

const ms = (column: string) => `(extract(epoch from $row.${column}) * 1000)::bigint`;

const WATCHED: { readonly [Name in TableName]: WatchedTable<TableRows[Name]> } = {
  jobs: {
    table: 'jobs.jobs',
    key: ['id'],
    columns: {
      id: 'id',
      accountId: 'account_id',
      status: 'status',
      fence: 'fence',
      attempts: 'attempts',
      isDispatched: '$row.dispatched_at is not null',
      createdAtMs: ms('created_at'),
      completedAtMs: ms('completed_at'),
      sourceDurationMs: 'source_duration_ms',
      segmentCount: 'segment_count',
      areSegmentsExpired: '$row.segments_expired_at is not null',
      isDivided: 'is_divided',
      webhookUrl: 'webhook_url',
      request: "$row.metadata ->> 'request'",
    },
  },
  queues: {
    table: 'jobs.account_queues',
    key: ['account_id'],
    columns: {
      accountId: 'account_id',
      queued: 'queued',
      dispatched: 'dispatched',
      processing: 'processing',
      completed: 'completed',
      failed: 'failed',
    },
  },
  limits: {
    table: 'jobs.account_limits',
    key: ['account_id'],
    columns: { accountId: 'account_id', concurrentJobs: 'concurrent_jobs' },
  },
  divisions: {
    table: 'jobs.job_divisions',
    key: ['job_id'],
    columns: { jobId: 'job_id', segmentCount: 'segment_count' },
  },
  parts: {
    table: 'jobs.job_parts',
    key: ['job_id', 'index'],
    columns: {
      jobId: 'job_id',
      index: 'index',
      accountId: 'account_id',
      firstSegment: 'first_segment',
      segmentCount: 'segment_count',
      fence: 'fence',
      attempts: 'attempts',
      isOnOffer: '$row.dispatched_at is not null and $row.lease_until is null and $row.segments is null',
      isDone: '$row.segments is not null',
    },
  },
  segments: {
    table: 'jobs.segments',
    key: ['job_id', 'index'],
    columns: { jobId: 'job_id', objectKey: 'object_key', sizeBytes: 'size_bytes' },
  },
  scheduledDeletions: {
    table: 'jobs.doomed_prefixes',
    key: ['prefix'],
    columns: { prefix: 'prefix', deleteAfterMs: ms('delete_after') },
  },
  purgedAccounts: {
    table: 'jobs.purged_accounts',
    key: ['account_id'],
    columns: { accountId: 'account_id' },
  },
  jobsOutbox: { table: 'jobs.outbox', key: ['id'], columns: { id: 'id' } },
  billingOutbox: { table: 'billing.outbox', key: ['id'], columns: { id: 'id' } },
  usage: {
    table: 'billing.job_usage',
    key: ['job_id'],
    columns: {
      jobId: 'job_id',
      accountId: 'account_id',
      status: 'status',
      durationMs: 'source_duration_ms',
      storedBytes: 'stored_bytes',
      countedAtMs: ms('counted_at'),
    },
  },
  subscriptions: {
    table: 'billing.subscriptions',
    key: ['id'],
    columns: {
      accountId: 'account_id',
      periodEndMs: ms('current_period_end'),
      hasEnded: '$row.ended_at is not null',
    },
  },
  endedPeriods: {
    table: 'billing.ended_periods',
    key: ['subscription_id', 'period_start'],
    columns: {
      accountId: 'account_id',
      startMs: ms('period_start'),
      endMs: ms('period_end'),
      includedMinutes: 'included_minutes',
      overageMinutes: 'overage_minutes',
    },
  },
  invoices: {
    table: 'billing.invoices',
    key: ['id'],
    columns: {
      accountId: 'account_id',
      number: 'number',
      status: 'status',
      amountCents: 'amount_cents',
      nextChargeAtMs: ms('next_charge_at'),
      id: 'id',
      revision: 'revision',
      drawnRevision: 'drawn_revision',
    },
  },
  methodRemovals: {
    table: 'billing.payment_method_removals',
    key: ['account_id', 'provider_method_id'],
    columns: { accountId: 'account_id' },
  },
  customerRemovals: {
    table: 'billing.customer_removals',
    key: ['provider_customer_id'],
    columns: { customerId: 'provider_customer_id' },
  },
  charges: {
    table: 'billing.charges',
    key: ['id'],
    columns: { id: 'id', accountId: 'account_id', state: 'state' },
  },
  deliveries: {
    table: 'webhooks.deliveries',
    key: ['id'],
    columns: {
      jobId: 'subject',
      accountId: 'account_id',
      type: 'type',
      status: 'status',
      nextAttemptAtMs: ms('next_attempt_at'),
      number: 'number',
      fence: 'fence',
    },
  },
};

export const TABLE_NAMES = Object.keys(WATCHED) as readonly TableName[];

/** One row that came, changed or went (then it is null), by its key. */
export type RowChange = readonly [table: TableName, key: string, row: unknown];

/** In the order in which their rows first came. */
export type Tables = { readonly [Name in TableName]: ReadonlyMap<string, TableRows[Name]> };

interface WatchedTables {
  readonly tables: Tables;
  apply(changes: readonly RowChange[]): void;
}

export function createWatchedTables(): WatchedTables {
  const maps = new Map(TABLE_NAMES.map((name) => [name, new Map<string, unknown>()]));
  return {
    tables: Object.fromEntries(maps) as unknown as Tables,
    apply(changes) {
      for (const [table, key, row] of changes) {
        if (row === null) maps.get(table)?.delete(key);
        else maps.get(table)?.set(key, row);
      }
    },
  };
}

/** A notice of a trigger; undefined for any other. */
export function readNotice(message: string | undefined): RowChange | undefined {
  return message?.startsWith('["') === true ? (JSON.parse(message) as RowChange) : undefined;
}

/** The triggers that tell of changes. */
export function triggersSql(): string {
  return TABLE_NAMES.map((name) => {
    const { table, key } = WATCHED[name];
    const keyOf = (row: string) => `concat_ws('/', ${key.map((column) => `${row}.${column}`).join(', ')})`;
    const report = (row: string, what: string) =>
      `raise notice '%', json_build_array('${name}', ${keyOf(row)}, ${what});`;
    return `create function simulated_clock.tell_${name}() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then ${report('old', 'null')}
      else ${report('new', rowSql(name, 'new'))} end if;
      return null;
    end $$;
    create trigger told after insert or update or delete on ${table}
      for each row execute function simulated_clock.tell_${name}();`;
  }).join('\n');
}

/** One statement that gives all of it, as `name: {key: row}`. */
export function readAllSql(): string {
  const parts = TABLE_NAMES.map((name) => {
    const { table, key } = WATCHED[name];
    const keyOf = `concat_ws('/', ${key.map((column) => `r.${column}`).join(', ')})`;
    return `'${name}', (select coalesce(json_object_agg(${keyOf}, ${rowSql(name, 'r')}), '{}') from ${table} r)`;
  });
  return `select json_build_object(${parts.join(', ')}) as found`;
}

function rowSql(name: TableName, row: string): string {
  const columns = Object.entries<string>(WATCHED[name].columns);
  const values = columns.map(([column, source]) => {
    const value = source.includes('$row') ? source.replaceAll('$row', row) : `${row}.${source}`;
    return `'${column}', ${value}`;
  });
  return `json_build_object(${values.join(', ')})`;
}
