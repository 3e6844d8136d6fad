/**
 * Counts the jobs of accounts that are older than job_counts, while they go on changing.
 *
 * Of each account a snapshot of the database is taken under the lock of its queue row, and what the triggers have
 * counted of it before is forgotten; the lock goes at once. The jobs are then counted in the snapshot, for as long as it
 * takes: every change since is in what the triggers have counted since, so that both together are exact. Whoever is
 * interrupted begins again with the account. One counts at a time.
 */
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { lockAccountQueue } from '../store/account-queue.ts';
import {
  addCounts,
  countJobs,
  findAccountsNotCounted,
  forgetCounts,
  tryLockCounting,
} from '../store/job-counts.ts';

const BATCH_SIZE = 100;

/**
 * Resolves once every account is counted or it is to stop, at once while another process counts. Repeating it costs one look. An
 * account that cannot be counted keeps none from its turn: AggregateError in the end.
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
          // Fails where the connection is gone, and with it the lock: nothing more can be counted.
          await client.query('rollback');
        }
      }
      accountIds = await findAccountsNotCounted(pool, accountIds.at(-1) ?? '', BATCH_SIZE);
    }
  } finally {
    // Closed, which gives up the lock and the snapshot, whatever has happened.
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
