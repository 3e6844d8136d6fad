/**
 * The commits of one consumer, one request in flight at a time. What is consumed meanwhile, in whatever partitions, goes
 * with the next request: a broker takes one request of a connection after the other anyway, and each is a write to its log.
 *
 * A request that fails fails for all that it carried. The client library has tried it again by then.
 */
import type { TopicPartitionOffset } from 'kafkajs';

interface Commits {
  /** Resolves when it is committed, or was dropped. A later position of the same key replaces one that still waits. */
  commit(key: string, position: TopicPartitionOffset): Promise<void>;
  /** Drops what waits under the key: once its partition is another member's, that may have committed more. */
  drop(key: string): void;
}

export function createCommits(send: (positions: TopicPartitionOffset[]) => Promise<void>): Commits {
  const waiting = new Map<string, TopicPartitionOffset>();
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  const sendWaiting = async () => {
    next = undefined;
    const positions = [...waiting.values()];
    waiting.clear();
    if (positions.length > 0) await send(positions);
  };

  return {
    commit(key, position) {
      waiting.set(key, position);
      if (next === undefined) {
        next = last.then(sendWaiting);
        last = next.catch(() => undefined);
      }
      return next;
    },
    drop(key) {
      waiting.delete(key);
    },
  };
}
