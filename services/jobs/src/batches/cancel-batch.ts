import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { endWithFailure } from '../finish/finish-job.ts';
import { CANCELED } from '../job.ts';
import { splitStatusChanged } from '../outgoing-events.ts';
import { dispatchNext } from '../queue/dispatch.ts';
import type { RemovalDependencies } from '../retention/delete-job.ts';
import { type Batch, failQueuedJobsOfBatch, lockRunningJobsOfBatch } from '../store/batches.ts';
import { changeCounters, lockAccountQueue } from '../store/queue/account-queue.ts';
import { requireBatch } from './batch.ts';

/**
 * Ends all queued and running jobs of the batch. Jobs that have ended stay as they are. Throws NotFoundError.
 */
export async function cancelBatch(
  { pool, wakeRelay }: Pick<RemovalDependencies, 'pool' | 'wakeRelay'>,
  accountId: string,
  batchId: string,
): Promise<Batch> {
  const canceled = await withTransaction(pool, async (client) => {
    await lockAccountQueue(client, accountId);
    const dropped = await failQueuedJobsOfBatch(client, accountId, batchId, CANCELED);
    await changeCounters(client, accountId, {
      queued: -dropped.length,
      dispatched: -dropped.filter(({ dispatchedAt }) => dispatchedAt !== undefined).length,
      failed: dropped.length,
    });
    await appendToOutbox(client, dropped.map(splitStatusChanged));
    for (const job of await lockRunningJobsOfBatch(client, accountId, batchId)) {
      await endWithFailure(client, await lockAccountQueue(client, accountId), job, CANCELED);
    }
    await dispatchNext(client, accountId, await lockAccountQueue(client, accountId));
    return requireBatch(client, accountId, batchId);
  });
  wakeRelay();
  return canceled;
}
