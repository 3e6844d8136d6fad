/**
 * Holds a restored database and the bucket against each other: both are walked once, in the order of the keys.
 *
 * - A segment without its object: the bucket is older than the database, or its object was swept after the backup. Only
 *   the bucket's own history has it. Named, never changed.
 * - A job's objects without the job: of jobs that were made after the backup. Nothing would ever sweep them. With
 *   `apply` their prefixes are doomed, after a week in which somebody may want them back.
 * - An invoice without its PDF: drawn again with `apply`.
 *
 * What else a known job has in the bucket (attempts that were given up) goes with the job.
 */
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { connectOperator, type OperatorClient } from './database-client.ts';

export interface Reconciliation {
  readonly objects: number;
  readonly segments: number;
  /** Of jobs that lack a segment, with how many. */
  readonly jobsWithLosses: ReadonlyMap<string, number>;
  readonly unknownJobs: readonly string[];
  readonly missingInvoices: readonly string[];
}

export interface ReconcileOptions {
  readonly databaseUrl: string;
  readonly store: ObjectStore;
  readonly apply: boolean;
}

const JOBS_PREFIX = 'jobs/';
const ACCOUNTS_PREFIX = 'accounts/';
const HOLD_BACK = '7 days';
const FETCH_ROWS = 5_000;
const BATCH = 1_000;

export async function reconcileObjects({
  databaseUrl,
  store,
  apply,
}: ReconcileOptions): Promise<Reconciliation> {
  await using client = await connectOperator(databaseUrl);
  await client.query('begin isolation level repeatable read');
  const jobsWithLosses = new Map<string, number>();
  const unknownJobs: string[] = [];
  const inBucket = store.list(JOBS_PREFIX)[Symbol.asyncIterator]();
  let objects = 0;
  let segments = 0;
  let batch = new Set<string>();
  const lookUp = async () => {
    unknownJobs.push(...(await findUnknownJobs(client, [...batch])));
    batch = new Set();
  };
  const nextObject = async () => {
    const { done, value } = await inBucket.next();
    if (done === true) return undefined;
    objects += 1;
    batch.add(value.key.split('/')[1] ?? '');
    if (batch.size >= BATCH) await lookUp();
    return value.key;
  };
  let object = await nextObject();
  for await (const { jobId, objectKey } of segmentsInOrder(client)) {
    segments += 1;
    while (object !== undefined && Buffer.compare(Buffer.from(object), Buffer.from(objectKey)) < 0) {
      object = await nextObject();
    }
    if (object !== objectKey) jobsWithLosses.set(jobId, (jobsWithLosses.get(jobId) ?? 0) + 1);
  }
  while (object !== undefined) object = await nextObject();
  await lookUp();

  const missingInvoices = await findMissingInvoices(client, store);
  if (apply) {
    await doom(client, unknownJobs);
    await client.query('update billing.invoices set drawn_revision = 0 where id = any($1)', [
      missingInvoices,
    ]);
  }
  await client.query('commit');
  return { objects, segments, jobsWithLosses, unknownJobs, missingInvoices };
}

interface ReferencedSegment {
  readonly jobId: string;
  readonly objectKey: string;
}

/** By the bytes of the keys, as stores list them. */
async function* segmentsInOrder(client: OperatorClient): AsyncGenerator<ReferencedSegment> {
  await client.query(
    `declare referenced no scroll cursor for
     select job_id as "jobId", object_key as "objectKey" from jobs.segments order by object_key collate "C"`,
  );
  for (;;) {
    const { rows } = await client.query<ReferencedSegment>(`fetch ${FETCH_ROWS} from referenced`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query('close referenced');
}

async function findUnknownJobs(client: OperatorClient, jobIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from unnest($1::text[]) as listed (id)
     where not exists (select from jobs.jobs where jobs.id = listed.id)
       and not exists (select from jobs.doomed_prefixes where prefix = '${JOBS_PREFIX}' || listed.id || '/')
     order by id`,
    [jobIds],
  );
  return rows.map(({ id }) => id);
}

async function doom(client: OperatorClient, jobIds: readonly string[]): Promise<void> {
  await client.query(
    `insert into jobs.doomed_prefixes (prefix, delete_after)
     select '${JOBS_PREFIX}' || id || '/', now() + interval '${HOLD_BACK}' from unnest($1::text[]) as unknown (id)
     on conflict (prefix) do nothing`,
    [jobIds],
  );
}

/** Billing's own keys: `accounts/<account>/invoices/<invoice>-<revision>.pdf`. */
async function findMissingInvoices(client: OperatorClient, store: ObjectStore): Promise<string[]> {
  const present = new Set<string>();
  for await (const { key } of store.list(ACCOUNTS_PREFIX)) {
    const [, pdf] = /\/invoices\/([^/]+)\.pdf$/.exec(key) ?? [];
    if (pdf !== undefined) present.add(pdf);
  }
  const { rows } = await client.query<{ id: string; pdf: string }>(
    `select id, id || '-' || drawn_revision as pdf from billing.invoices where drawn_revision > 0 order by id`,
  );
  return rows.filter(({ pdf }) => !present.has(pdf)).map(({ id }) => id);
}
