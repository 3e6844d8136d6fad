/**
 * The event bus port: at-least-once delivery of keyed messages to consumer groups.
 *
 * Adapters: `kafka.ts` and `postgres.ts`; `event-bus.contract.ts` holds both to the same promises:
 *
 * - `publish` resolves only once every message is durable (Kafka: acknowledged by all in-sync replicas).
 * - Every group sees every message published after the group's first subscription at least once.
 * - Messages of one topic with one key reach a group in the order of their publication, one at a time.
 * - A message counts as consumed when its handler has resolved. A handler that rejects sees the message
 *   again, after a growing delay, up to `maxDeliveries` times; then it goes to the topic
 *   `<group>.<topic>.dead-letter` with the error in its headers, and the partition goes on.
 * - A paused subscription takes no new message; those in hand finish.
 */
export interface EventBus extends AsyncDisposable {
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** Resolves when the bus can be reached, rejects with the reason otherwise. For readiness. */
  check(): Promise<void>;
}

export interface OutgoingMessage {
  readonly topic: string;
  /** Messages with the same key keep their order. */
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface IncomingMessage extends OutgoingMessage {
  /** 1 at the first delivery of this message to this process, then counting up. */
  readonly delivery: number;
}

export interface SubscribeOptions {
  /** The consumer group: its members share the messages, other groups are not affected. */
  readonly group: string;
  readonly topics: readonly string[];
  readonly handler: (message: IncomingMessage, signal: AbortSignal) => Promise<void>;
  /** Deliveries before a message is dead-lettered; default 5. */
  readonly maxDeliveries?: number;
  /** Called when the consumer has died for good: the process should exit and be restarted. */
  readonly onCrash: (error: Error) => void;
}

export interface Subscription extends AsyncDisposable {
  pause(): void;
  resume(): void;
}

/** Topics are declared in code: an adapter creates what is missing at start. */
export interface TopicDeclaration {
  readonly name: string;
  /** Upper bound of the members of one group that can work at the same time. */
  readonly partitions: number;
  readonly retentionMs: number;
}

export const DEFAULT_MAX_DELIVERIES = 5;

export function deadLetterTopic(group: string, topic: string): string {
  return `${group}.${topic}.dead-letter`;
}
