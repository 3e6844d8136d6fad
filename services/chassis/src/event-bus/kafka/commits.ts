/**
 * The commits of one consumer, one request in flight at a time. Offsets of any partition that are consumed
 * meanwhile go with the next request: a broker handles the requests of a connection one after the other
 * anyway, and each one is a write to its log.
 *
 * If a request fails, all its commits fail. By then the client library has retried it.
 */
import type { TopicPartitionOffset } from 'kafkajs';

interface Commits {
  /**
   * Resolves when the offset is committed or dropped. A later position of the same key replaces a pending
   * one.
   */
  commit(key: string, position: TopicPartitionOffset): Promise<void>;
  /**
   * Drops the pending commit of the key. Its partition may belong to another member that has committed more.
   */
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
