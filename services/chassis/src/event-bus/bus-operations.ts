/**
 * The operator's port to the bus: shows consumers and dead letters, and replays dead letters to their group.
 * Adapters: kafka/operations.ts and postgres/operations.ts; bus-operations.contract.ts holds both to the same
 * promises.
 *
 * A queue of dead letters holds exactly those that await a decision. Replayed or discarded letters leave it,
 * oldest first, so repeating the operation does nothing. An interrupted replay loses no message, but may
 * deliver one to its group twice; consumers recognise it by the event's id.
 */
import type { DeadLetterCount, DeadLetterQueue, OutgoingMessage, PartitionLag } from './event-bus.ts';

export interface BusOperations extends AsyncDisposable {
  /** For every group that has ever subscribed. */
  lag(): Promise<PartitionLag[]>;
  /** All queues, each with the number of its letters. */
  deadLetterQueues(): Promise<DeadLetterCount[]>;
  /** The oldest letters, at most `limit`. */
  readDeadLetters(queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]>;
  /** Returns the oldest letters to their group, and to it alone. Resolves to those returned. */
  replayDeadLetters(queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]>;
  /** Deletes the oldest letters. Resolves to those deleted. */
  discardDeadLetters(queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]>;
}

export interface DeadLetter {
  /** Its position in the queue, ascending. */
  readonly position: bigint;
  readonly failedAt: Date;
  readonly message: OutgoingMessage;
}

/** Groups with their topics, partitions added up, sorted by name. */
export function lagByTopic(
  lag: readonly PartitionLag[],
): { readonly group: string; readonly topic: string; readonly messages: number }[] {
  const groups = Map.groupBy(lag, ({ group, topic }) => JSON.stringify([group, topic]));
  return [...groups.values()]
    .flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : [
            {
              group: first.group,
              topic: first.topic,
              messages: others.reduce((sum, { messages }) => sum + messages, first.messages),
            },
          ],
    )
    .sort((a, b) => a.group.localeCompare(b.group) || a.topic.localeCompare(b.topic));
}
