/**
 * Counts the jobs of accounts that are older than the table job_counts, while their jobs go on changing.
 *
 * For each account, a snapshot of the database is taken and the counts of the triggers are reset, both under the lock of
 * the account's queue row, which is then released. The jobs are counted in the snapshot, however long it takes. Later
 * changes are counted by the triggers, so the sum of both is exact. An interrupted account is counted again from the
 * start. One process counts at a time.
 */
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { lockAccountQueue } from '../store/queue/account-queue.ts';
import {
  addCounts,
  countJobs,
  findAccountsNotCounted,
  forgetCounts,
  tryLockCounting,
} from '../store/queue/job-counts.ts';

const BATCH_SIZE = 100;

/**
 * Resolves when every account is counted or `stopping` is aborted, and at once while another process counts. Once all are
 * counted it costs one query. Accounts that cannot be counted do not stop the others. Throws AggregateError in the end.
 */
export async function countJobsOfOldAccounts(pool: Pool, stopping?: AbortSignal): Promise<void> {
  let accountIds = await findAccountsNotCounted(pool, '', BATCH_SIZE);
  if (accountIds.length === 0) return;
  const failures: unknown[] = [];
  const client = await pool.connect();
  try {
    if (!(await tryLockCounting(client))) return;
    while (accountIds.length > 0 && !stopping?.aborted) {
      for (const accountId of accountIds) {
        if (stopping?.aborted) break;
        try {
          await countAccount(pool, client, accountId);
        } catch (error) {
          failures.push(error);
          // Throws if the connection is lost: the lock is lost with it, so counting must stop.
          await client.query('rollback');
        }
      }
      accountIds = await findAccountsNotCounted(pool, accountIds.at(-1) ?? '', BATCH_SIZE);
    }
  } finally {
    // Closing the connection releases the lock and the snapshot in any case.
    client.release(true);
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `the jobs of ${failures.length} accounts could not be counted`);
}

async function countAccount(pool: Pool, client: Queryable, accountId: string): Promise<void> {
  await client.query('begin isolation level repeatable read');
  await withTransaction(pool, async (locking) => {
    await lockAccountQueue(locking, accountId);
    await forgetCounts(locking, accountId);
    // The first query of the transaction: it takes the snapshot.
    await client.query('select 1');
  });
  const counts = await countJobs(client, accountId);
  await client.query('commit');
  await withTransaction(pool, async (adding) => {
    await lockAccountQueue(adding, accountId);
    await addCounts(adding, accountId, counts);
  });
}
