/** Tries the operations of jobs in a bucket, and leaves nothing behind. */
import { randomBytes } from 'node:crypto';
import { BucketAction } from '@audiosplit/proto/jobs/v1/bucket';
import type { Bucket } from './bucket.ts';
import { StoreError } from './store-error.ts';

interface BucketCheck {
  readonly action: BucketAction;
  /** Absent: it works. */
  readonly fault?: string;
}

const TEXT = 'This object was written to try a connection, and is to be deleted at once.\n';
const NOT_TRIED = 'Not tried: nothing could be written, and there is no other object.';

/** If nothing can be written, reading is tried with an existing object. */
export async function tryBucket(bucket: Bucket, signal: AbortSignal): Promise<readonly BucketCheck[]> {
  const key = `audiosplit-test-${randomBytes(8).toString('hex')}`;
  const tried = async (action: BucketAction, work: () => Promise<unknown>): Promise<BucketCheck> => {
    try {
      await work();
      return { action };
    } catch (error) {
      if (error instanceof StoreError) return { action, fault: error.message };
      if (signal.aborted) return { action, fault: 'The store takes too long to answer.' };
      throw error;
    }
  };

  let found: readonly string[] = [];
  const list = await tried(BucketAction.LIST, async () => {
    found = await bucket.list('', 1);
  });
  const write = await tried(BucketAction.WRITE, () => bucket.put(key, chunksOf(TEXT), 'text/plain'));
  const isWritten = write.fault === undefined;
  const readable = isWritten ? key : found[0];
  const read =
    readable === undefined
      ? { action: BucketAction.READ, fault: NOT_TRIED }
      : await tried(BucketAction.READ, () => bucket.readStart(readable, 16));
  const remove = isWritten
    ? await tried(BucketAction.DELETE, () => bucket.delete(key))
    : { action: BucketAction.DELETE, fault: 'Not tried: nothing could be written.' };
  return [list, read, write, remove];
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
