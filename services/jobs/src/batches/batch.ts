import { NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { MAX_QUEUED_PER_ACCOUNT } from '../job.ts';
import { type Batch, findBatch } from '../store/batches.ts';

export const MAX_BATCH_SOURCES = 1_000;

export class BatchDoesNotFitError extends ServiceError {
  override readonly name = 'BatchDoesNotFitError';
  constructor(jobs: number, queued: number) {
    super(
      Reason.QUEUE_FULL,
      `The batch has ${jobs} jobs, and ${queued} of at most ${MAX_QUEUED_PER_ACCOUNT} jobs are queued already. Wait until some ` +
        'have been processed, or send fewer.',
      { retryAfterSeconds: 30 },
    );
  }
}

/** Throws NotFoundError. */
export async function requireBatch(db: Queryable, accountId: string, batchId: string): Promise<Batch> {
  const batch = await findBatch(db, accountId, batchId);
  if (batch === undefined) throw new NotFoundError(`Batch ${batchId}`);
  return batch;
}
