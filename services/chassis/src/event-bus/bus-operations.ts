/**
 * What an operator does to the bus, as a port: looks at consumers and dead letters, and gives dead letters
 * back to their group. Adapters: kafka/operations.ts and postgres/operations.ts, held to the same promises by
 * bus-operations.contract.ts.
 *
 * A queue of dead letters holds exactly what awaits a decision: what is replayed or discarded leaves it,
 * oldest first, so that doing it again finds nothing to do. A replay that breaks off half way may give a
 * message to its group twice, which consumers notice by the event's id, and loses none.
 */
import type { DeadLetterCount, DeadLetterQueue, OutgoingMessage, PartitionLag } from './event-bus.ts';

export interface BusOperations extends AsyncDisposable {
  /** Of every group that has ever subscribed. */
  lag(): Promise<PartitionLag[]>;
  /** Every queue there is, with the number of its letters. */
  deadLetterQueues(): Promise<DeadLetterCount[]>;
  /** The oldest letters, at most `limit`. */
  readDeadLetters(queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]>;
  /** Gives the oldest letters back to their group, and to it alone; resolves to what was given back. */
  replayDeadLetters(queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]>;
  /** Forgets the oldest letters; resolves to what was forgotten. */
  discardDeadLetters(queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]>;
}

export interface DeadLetter {
  /** Its place in the queue, counting up. */
  readonly position: bigint;
  readonly failedAt: Date;
  readonly message: OutgoingMessage;
}

/** Groups with their topics, the partitions summed up, in the order of their names. */
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
