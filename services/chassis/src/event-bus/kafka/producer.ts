/**
 * Publishes in order, one request after the other, acknowledged by all in-sync replicas.
 *
 * The producer is idempotent: a message it resends after a lost response is not written twice. After an error
 * its sequence numbers may differ from those the broker expects, and the client library does not correct that
 * (https://github.com/tulios/kafkajs/issues/598). The next publish therefore uses a new producer.
 */
import { type Kafka, type Message, Partitioners, type Producer, type TopicMessages } from 'kafkajs';
import type { Logger } from '../../process/log.ts';
import type { OutgoingMessage } from '../event-bus.ts';

interface KafkaProducer extends AsyncDisposable {
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
}

const ALL_IN_SYNC_REPLICAS = -1;
/** Well below a broker's default maximum of 1 MiB. */
const MAX_BATCH_BYTES = 512 * 1024;
const MAX_BATCH_MESSAGES = 500;

export function createKafkaProducer(kafka: Kafka, log: Logger): KafkaProducer {
  let producer: Producer | undefined;
  let last: Promise<void> = Promise.resolve();

  const connected = async (): Promise<Producer> => {
    if (producer !== undefined) return producer;
    const created = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await created.connect();
    producer = created;
    return created;
  };

  const discard = async () => {
    const broken = producer;
    producer = undefined;
    await broken?.disconnect().catch((error: unknown) => {
      log.debug({ err: error }, 'a broken producer cannot be disconnected');
    });
  };

  const send = async (messages: readonly OutgoingMessage[]) => {
    try {
      for (const batch of batchesOf(messages)) {
        await (await connected()).sendBatch({ acks: ALL_IN_SYNC_REPLICAS, topicMessages: byTopic(batch) });
      }
    } catch (error) {
      await discard();
      throw error;
    }
  };

  return {
    publish(messages) {
      const sent = last.then(() => send(messages));
      last = sent.catch(() => undefined);
      return sent;
    },
    async [Symbol.asyncDispose]() {
      await last;
      await producer?.disconnect();
    },
  };
}

function* batchesOf(messages: readonly OutgoingMessage[]): Generator<OutgoingMessage[]> {
  let batch: OutgoingMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.value.byteLength + Buffer.byteLength(JSON.stringify([message.key, message.headers]));
    if (batch.length > 0 && (batch.length === MAX_BATCH_MESSAGES || bytes + size > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function byTopic(messages: readonly OutgoingMessage[]): TopicMessages[] {
  const topics = Map.groupBy(messages, (message) => message.topic);
  return [...topics].map(([topic, ofTopic]) => ({ topic, messages: ofTopic.map(toKafka) }));
}

function toKafka({ key, value, headers }: OutgoingMessage): Message {
  return { key, value: Buffer.from(value), headers };
}
