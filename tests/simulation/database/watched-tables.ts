/**
 * A copy of the rows of the services' tables, updated as they change: a trigger reports each row change in a
 * notice on the connection that makes it, and the change applies once its transaction has been committed. So
 * the invariants can check the state after every step without a statement. The end of a run checks once that
 * the copy is correct.
 */
interface Column<T> {
  /** A column, or an expression over `$row`. */
  readonly source: string;
  readonly holds?: T;
}

const column = <T>(source: string): Column<T> => ({ source });
const text = column<string>;
const number = column<number>;
const flag = column<boolean>;
const ms = (name: string) => `(extract(epoch from $row.${name}) * 1000)::bigint`;

const watched = <Columns extends Readonly<Record<string, Column<unknown>>>>(
  table: string,
  key: readonly string[],
  columns: Columns,
) => ({ table, key, columns });

const WATCHED = {
  jobs: watched('jobs.jobs', ['id'], {
    id: text('id'),
    accountId: text('account_id'),
    status: column<'queued' | 'processing' | 'completed' | 'failed'>('status'),
    fence: number('fence'),
    attempts: number('attempts'),
    isDispatched: flag('$row.dispatched_at is not null'),
    createdAtMs: number(ms('created_at')),
    completedAtMs: column<number | null>(ms('completed_at')),
    sourceDurationMs: column<number | null>('source_duration_ms'),
    segmentCount: column<number | null>('segment_count'),
    areSegmentsExpired: flag('$row.segments_expired_at is not null'),
    isDivided: flag('is_divided'),
    webhookUrl: column<string | null>('webhook_url'),
    /** The creator's id for its request (accounts.ts): the same for each retry. */
    request: text("$row.metadata ->> 'request'"),
  }),
  queues: watched('jobs.account_queues', ['account_id'], {
    accountId: text('account_id'),
    queued: number('queued'),
    dispatched: number('dispatched'),
    processing: number('processing'),
    completed: number('completed'),
    failed: number('failed'),
  }),
  limits: watched('jobs.account_limits', ['account_id'], {
    accountId: text('account_id'),
    concurrentJobs: number('concurrent_jobs'),
  }),
  divisions: watched('jobs.job_divisions', ['job_id'], {
    jobId: text('job_id'),
    segmentCount: number('segment_count'),
  }),
  parts: watched('jobs.job_parts', ['job_id', 'index'], {
    jobId: text('job_id'),
    index: number('index'),
    accountId: text('account_id'),
    firstSegment: number('first_segment'),
    segmentCount: number('segment_count'),
    fence: number('fence'),
    attempts: number('attempts'),
    isOnOffer: flag('$row.dispatched_at is not null and $row.lease_until is null and $row.segments is null'),
    isDone: flag('$row.segments is not null'),
  }),
  segments: watched('jobs.segments', ['job_id', 'index'], {
    jobId: text('job_id'),
    objectKey: text('object_key'),
    sizeBytes: number('size_bytes'),
  }),
  scheduledDeletions: watched('jobs.doomed_prefixes', ['prefix'], {
    prefix: text('prefix'),
    deleteAfterMs: number(ms('delete_after')),
  }),
  purgedAccounts: watched('jobs.purged_accounts', ['account_id'], { accountId: text('account_id') }),
  jobsOutbox: watched('jobs.outbox', ['id'], { id: number('id') }),
  billingOutbox: watched('billing.outbox', ['id'], { id: number('id') }),
  usage: watched('billing.job_usage', ['job_id'], {
    jobId: text('job_id'),
    accountId: text('account_id'),
    status: column<'completed' | 'failed'>('status'),
    durationMs: number('source_duration_ms'),
    storedBytes: number('stored_bytes'),
    countedAtMs: number(ms('counted_at')),
  }),
  subscriptions: watched('billing.subscriptions', ['id'], {
    accountId: text('account_id'),
    periodEndMs: number(ms('current_period_end')),
    hasEnded: flag('$row.ended_at is not null'),
  }),
  endedPeriods: watched('billing.ended_periods', ['subscription_id', 'period_start'], {
    accountId: text('account_id'),
    startMs: number(ms('period_start')),
    endMs: number(ms('period_end')),
    includedMinutes: number('included_minutes'),
    overageMinutes: number('overage_minutes'),
  }),
  invoices: watched('billing.invoices', ['id'], {
    accountId: text('account_id'),
    status: text('status'),
    amountCents: number('amount_cents'),
    nextChargeAtMs: column<number | null>(ms('next_charge_at')),
    id: text('id'),
    revision: number('revision'),
    drawnRevision: number('drawn_revision'),
  }),
  methodRemovals: watched('billing.payment_method_removals', ['account_id', 'provider_method_id'], {
    accountId: text('account_id'),
  }),
  customerRemovals: watched('billing.customer_removals', ['provider_customer_id'], {
    customerId: text('provider_customer_id'),
  }),
  charges: watched('billing.charges', ['id'], {
    id: text('id'),
    accountId: text('account_id'),
    state: text('state'),
  }),
  deliveries: watched('webhooks.deliveries', ['id'], {
    jobId: text('subject'),
    accountId: text('account_id'),
    type: text('type'),
    status: text('status'),
    number: number('number'),
    /** How often the job was claimed. */
    fence: number('fence'),
  }),
};

type TableName = keyof typeof WATCHED;
type Columns<Name extends TableName> = (typeof WATCHED)[Name]['columns'];
type Row<Name extends TableName> = {
  readonly [Field in keyof Columns<Name>]: Columns<Name>[Field] extends Column<infer T> ? T : never;
};
export type JobState = Row<'jobs'>;
export type PartState = Row<'parts'>;

export function isFinal({ status }: Pick<JobState, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

export const TABLE_NAMES = Object.keys(WATCHED) as readonly TableName[];

/** One row that was added, changed or deleted (then it is null), by its key. */
export type RowChange = readonly [table: TableName, key: string, row: unknown];

/** In the order in which rows were first added. */
export type Tables = { readonly [Name in TableName]: ReadonlyMap<string, Row<Name>> };

export function createWatchedTables() {
  const maps = new Map(TABLE_NAMES.map((name) => [name, new Map<string, unknown>()]));
  return {
    tables: Object.fromEntries(maps) as unknown as Tables,
    apply(changes: readonly RowChange[]) {
      for (const [table, key, row] of changes) {
        if (row === null) maps.get(table)?.delete(key);
        else maps.get(table)?.set(key, row);
      }
    },
  };
}

/** Parses a trigger's notice; undefined for any other notice. */
export function readNotice(message: string | undefined): RowChange | undefined {
  return message?.startsWith('["') === true ? (JSON.parse(message) as RowChange) : undefined;
}

/** The triggers that report changes. */
export function triggersSql(): string {
  return TABLE_NAMES.map((name) => {
    const { table } = WATCHED[name];
    const report = (row: string, what: string) =>
      `raise notice '%', json_build_array('${name}', ${keySql(name, row)}, ${what});`;
    return `create function simulated_clock.tell_${name}() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then ${report('old', 'null')}
      else ${report('new', rowSql(name, 'new'))} end if;
      return null;
    end $$;
    create trigger told after insert or update or delete on ${table}
      for each row execute function simulated_clock.tell_${name}();`;
  }).join('\n');
}

/** One statement that returns all rows, as `name: {key: row}`. */
export function readAllSql(): string {
  const parts = TABLE_NAMES.map((name) => {
    const rows = `json_object_agg(${keySql(name, 'r')}, ${rowSql(name, 'r')})`;
    return `'${name}', (select coalesce(${rows}, '{}') from ${WATCHED[name].table} r)`;
  });
  return `select json_build_object(${parts.join(', ')}) as found`;
}

function keySql(name: TableName, row: string): string {
  return `concat_ws('/', ${WATCHED[name].key.map((column) => `${row}.${column}`).join(', ')})`;
}

function rowSql(name: TableName, row: string): string {
  const values = Object.entries<Column<unknown>>(WATCHED[name].columns).map(([field, { source }]) => {
    const value = source.includes('$row') ? source.replaceAll('$row', row) : `${row}.${source}`;
    return `'${field}', ${value}`;
  });
  return `json_build_object(${values.join(', ')})`;
}
