/**
 * The operator's view of the bus on Postgres. A replay moves its messages within one transaction: exactly
 * once.
 */
import { openPool, type Queryable, withTransaction } from '../../postgres/pool.ts';
import type { BusOperations, DeadLetter } from '../bus-operations.ts';
import { deadLetterDeclarations, deadLetterQueuesAmong, deadLetterTopic, toReplay } from '../dead-letters.ts';
import type { DeadLetterQueue, OutgoingMessage, TopicDeclaration } from '../event-bus.ts';
import { countDeadLetters, fetchLag } from './lag.ts';
import { BUS_SCHEMA } from './postgres.ts';
import { appendMessages, ensureTopics } from './store.ts';

interface PostgresOperationsOptions {
  readonly url: string;
  readonly topics: readonly TopicDeclaration[];
}

export async function openPostgresOperations({
  url,
  topics,
}: PostgresOperationsOptions): Promise<BusOperations> {
  const pool = openPool({ url, schema: BUS_SCHEMA, maxConnections: 2, onError: () => undefined });
  const declared = topics.map(({ name }) => name);
  try {
    await pool.query('select from topics limit 0');
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    async lag() {
      const { rows } = await pool.query<{ group: string }>(
        'select distinct group_name as "group" from group_partitions order by 1',
      );
      return (await Promise.all(rows.map(({ group }) => fetchLag(pool, group)))).flat();
    },
    async deadLetterQueues() {
      const { rows } = await pool.query<{ name: string }>('select name from topics order by name');
      const queues = deadLetterQueuesAmong(
        rows.map(({ name }) => name),
        declared,
      );
      return countDeadLetters(pool, queues);
    },
    readDeadLetters: (queue, limit) => readLetters(pool, queue, limit),
    replayDeadLetters: (queue, limit) =>
      withTransaction(pool, async (client) => {
        const partitionsOf = await ensureTopics(client, deadLetterDeclarations(queue.group, [queue.topic]));
        const letters = await takeLetters(client, queue, limit);
        if (letters.length > 0) {
          await appendMessages(
            client,
            partitionsOf,
            letters.map(({ message }) => toReplay(queue, message)),
          );
        }
        return letters;
      }),
    discardDeadLetters: (queue, limit) =>
      withTransaction(pool, (client) => takeLetters(client, queue, limit)),
    async [Symbol.asyncDispose]() {
      await pool.end();
    },
  };
}

interface LetterRow extends OutgoingMessage {
  readonly position: number;
  readonly published_at: Date;
}

async function readLetters(db: Queryable, { group, topic }: DeadLetterQueue, limit: number) {
  const { rows } = await db.query<LetterRow>(
    `select topic, position, key, value, headers, published_at from messages
     where topic = $1 order by position limit $2`,
    [deadLetterTopic(group, topic), limit],
  );
  return rows.map(toLetter);
}

/** Reads and deletes. Only one operator runs it at a time. */
async function takeLetters(db: Queryable, queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]> {
  const topic = deadLetterTopic(queue.group, queue.topic);
  await db.query('select from partitions where topic = $1 for update', [topic]);
  const letters = await readLetters(db, queue, limit);
  await db.query('delete from messages where topic = $1 and position <= $2', [
    topic,
    String(letters.at(-1)?.position ?? -1n),
  ]);
  return letters;
}

function toLetter({ position, published_at: failedAt, ...message }: LetterRow): DeadLetter {
  return { position: BigInt(position), failedAt, message };
}
