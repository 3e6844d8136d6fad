/**
 * Compares a restored database with the bucket. Both are read once, in the order of the keys.
 *
 * - A segment without its object: the bucket is older than the database, or the object was deleted after the
 *   backup. Only the bucket's versions can bring it back. It is reported, never changed.
 * - A job's objects without the job: the job was created after the backup. Nothing else would ever delete
 *   them. `apply` schedules their prefixes for deletion in a week, so that an operator can still copy them.
 * - An invoice without its PDF: `apply` has it drawn again.
 *
 * Other objects of a known job (of abandoned attempts) are deleted with the job.
 *
 * The installation may be running. The database is read as of one moment and the bucket after it, so that
 * every object stored by then is listed. What is deleted or created during the reading looks lost or unknown,
 * so each finding is checked against the database again at the end.
 */
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { connectOperator, type OperatorClient } from './database-client.ts';

export interface Reconciliation {
  readonly objects: number;
  readonly segments: number;
  /** The number of segments without an object, by job id. */
  readonly jobsWithLosses: ReadonlyMap<string, number>;
  readonly unknownJobs: readonly string[];
  readonly missingInvoices: readonly string[];
}

const JOBS_PREFIX = 'jobs/';
const ACCOUNTS_PREFIX = 'accounts/';
const HOLD_BACK = '7 days';
const FETCH_ROWS = 5_000;
const BATCH = 1_000;

export async function reconcileObjects(options: {
  readonly databaseUrl: string;
  readonly store: ObjectStore;
  readonly apply: boolean;
}): Promise<Reconciliation> {
  const { databaseUrl, store, apply } = options;
  await using client = await connectOperator(databaseUrl);
  await client.query('begin isolation level repeatable read');
  await openSegments(client);
  const missing: ReferencedSegment[] = [];
  const unknownThen: string[] = [];
  const inBucket = store.list(JOBS_PREFIX)[Symbol.asyncIterator]();
  let objects = 0;
  let segments = 0;
  let batch = new Set<string>();
  const lookUp = async () => {
    unknownThen.push(...(await findUnknownJobs(client, [...batch])));
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
  for await (const segment of segmentsInOrder(client)) {
    const { objectKey } = segment;
    segments += 1;
    while (object !== undefined && Buffer.compare(Buffer.from(object), Buffer.from(objectKey)) < 0) {
      object = await nextObject();
    }
    if (object !== objectKey) missing.push(segment);
  }
  while (object !== undefined) object = await nextObject();
  await lookUp();

  const missingInvoices = await findMissingInvoices(client, store);
  await client.query('commit; begin');
  const unknownJobs = await findUnknownJobs(client, unknownThen);
  const jobsWithLosses = await countLosses(client, missing);
  if (apply) {
    await scheduleDeletion(client, unknownJobs);
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

/** In the byte order of the keys, as stores list them. */
async function openSegments(client: OperatorClient): Promise<void> {
  await client.query(
    `declare referenced no scroll cursor for
     select job_id as "jobId", object_key as "objectKey" from jobs.segments where object_key <> '' order by object_key collate "C"`,
  );
}

async function* segmentsInOrder(client: OperatorClient): AsyncGenerator<ReferencedSegment> {
  for (;;) {
    const { rows } = await client.query<ReferencedSegment>(`fetch ${FETCH_ROWS} from referenced`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query('close referenced');
}

/** By job id. Segments deleted from the database since do not count. */
async function countLosses(
  client: OperatorClient,
  missing: readonly ReferencedSegment[],
): Promise<Map<string, number>> {
  const losses = new Map<string, number>();
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH);
    const { rows } = await client.query<{ jobId: string; count: number }>(
      `select job_id as "jobId", count(*)::int as count from jobs.segments
       where job_id = any($1) and object_key = any($2) group by job_id order by job_id`,
      [batch.map(({ jobId }) => jobId), batch.map(({ objectKey }) => objectKey)],
    );
    for (const { jobId, count } of rows) losses.set(jobId, (losses.get(jobId) ?? 0) + count);
  }
  return losses;
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

async function scheduleDeletion(client: OperatorClient, jobIds: readonly string[]): Promise<void> {
  await client.query(
    `insert into jobs.doomed_prefixes (prefix, delete_after)
     select '${JOBS_PREFIX}' || id || '/', now() + interval '${HOLD_BACK}' from unnest($1::text[]) as unknown (id)
     on conflict (prefix) do nothing`,
    [jobIds],
  );
}

/** Billing stores invoices as `accounts/<account>/invoices/<invoice>-<revision>.pdf`. */
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
