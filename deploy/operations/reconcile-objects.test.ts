/** While the installation runs, objects created or deleted during the walk are reported neither as lost nor as unknown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from '@audiosplit/billing/schema';
import type { ListedObject, ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { connectOperator } from './database-client.ts';
import { reconcileObjects } from './reconcile-objects.ts';

const SCHEMAS = [
  { schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR },
  { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
];

test('jobs that end, start and are deleted during the search are not touched, and lost objects are found', async () => {
  await using database = await createTestDatabase(SCHEMAS);
  await using client = await connectOperator(database.url);
  const bucket = new Set<string>();
  const complete = async (jobId: string) => {
    const key = `jobs/${jobId}/1/0`;
    bucket.add(key);
    await client.query(
      `insert into jobs.jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, completed_at)
       values ($1, 'acc_1', 'completed', 'https://example.com/a.mp3', 'duration', 60, now())`,
      [jobId],
    );
    await client.query(
      `insert into jobs.segments (job_id, index, object_key, file_name, content_type, start_ms, duration_ms, size_bytes)
       values ($1, 0, $2, 'a.mp3', 'audio/mpeg', 0, 60000, 1)`,
      [jobId, key],
    );
  };
  const remove = async (jobId: string) => {
    await client.query('delete from jobs.jobs where id = $1', [jobId]);
    bucket.delete(`jobs/${jobId}/1/0`);
  };
  /** A store with one page of objects. `before` runs before the page is read, `after` before it is returned. */
  const storeWhere = (before: () => Promise<void>, after: () => Promise<void>): ObjectStore => ({
    ...({} as ObjectStore),
    async *list(prefix) {
      await before();
      const page = [...bucket].filter((key) => key.startsWith(prefix)).sort();
      await after();
      for (const key of page) yield { key } as ListedObject;
    },
  });
  const nothing = async () => undefined;
  for (const jobId of ['job_a', 'job_b', 'job_lost']) await complete(jobId);
  bucket.delete('jobs/job_lost/1/0');
  bucket.add('jobs/job_unknown/1/0');
  const reconcile = (store: ObjectStore) =>
    reconcileObjects({ databaseUrl: database.url, store, apply: false });

  const calm = await reconcile(storeWhere(nothing, nothing));
  const once = (work: (jobId: string) => Promise<void>, jobId: string) => {
    let done: Promise<void> | undefined;
    return () => {
      done ??= work(jobId);
      return done;
    };
  };
  const endedAfterListing = await reconcile(storeWhere(nothing, once(complete, 'job_ended')));
  const begunBeforeListing = await reconcile(storeWhere(once(complete, 'job_begun'), nothing));
  const gone = await reconcile(storeWhere(once(remove, 'job_b'), nothing));
  for (const { jobsWithLosses, unknownJobs } of [calm, endedAfterListing, begunBeforeListing, gone]) {
    assert.deepEqual([[...jobsWithLosses], unknownJobs], [[['job_lost', 1]], ['job_unknown']]);
  }
});
