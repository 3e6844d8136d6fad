/**
 * The event bus port: at-least-once delivery of keyed messages to consumer groups.
 *
 * Adapters: `kafka/kafka.ts` and `postgres/postgres.ts`; `event-bus.contract.ts` tests both:
 *
 * - `publish` resolves only once every message is durable (Kafka: acknowledged by all in-sync replicas).
 * - Every group receives every message of its topics at least once, starting with the oldest retained one; so
 *   does a new group. Messages that a group has not consumed within the retention are lost to it.
 * - Messages of one topic with one key reach a group in the order of their publication, one at a time. The
 *   exception: if a member is considered dead while it still runs (a stalled process, a rebalance), another
 *   member may receive the message in flight as well. The first member's signal aborts as soon as it notices.
 * - A message counts as consumed when its handler has resolved. If the handler rejects, the message is
 *   delivered again, after a growing delay, up to `maxDeliveries` times. It then goes to the topic
 *   `<group>.<topic>.dead-letter` with the error in its headers, and the partition continues. An operator may
 *   replay it to the group (bus-operations.ts): it then arrives after, or together with, later messages of
 *   its key.
 * - Other partitions continue while one waits for its handler or for a redelivery.
 * - A paused subscription takes no new message; messages in flight finish.
 * - Disposing a subscription aborts the signals of its handlers and waits for them. If a handler then
 *   rejects, its message is returned as if it had not been delivered.
 */
export interface EventBus extends AsyncDisposable {
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** Resolves when the bus can be reached, rejects with the reason otherwise. For readiness. */
  check(): Promise<void>;
  /** Set where the bus lies in a database: transactions on that database can publish messages themselves. */
  readonly database?: BusDatabase | undefined;
}

export interface BusDatabase {
  readonly url: string;
  /** Must be called after a transaction has published messages, with the topic of each. */
  readonly onPublished: (topics: readonly string[]) => void;
}

/** The bus as seen by the process that hosts the services. */
export interface MonitoredEventBus extends EventBus {
  /** The groups subscribed through this bus, each with all its members. */
  lag(): Promise<PartitionLag[]>;
  /** For each topic of the same groups. */
  deadLetters(): Promise<DeadLetterCount[]>;
}

/** How many messages of a partition a group has not consumed yet. */
export interface PartitionLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly messages: number;
}

/** A group's dead letters of one topic. */
export interface DeadLetterQueue {
  readonly group: string;
  readonly topic: string;
}

export interface DeadLetterCount extends DeadLetterQueue {
  readonly letters: number;
}

export interface OutgoingMessage {
  readonly topic: string;
  /** Messages with the same key keep their order. */
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface IncomingMessage extends OutgoingMessage {
  /** 1 at the first delivery, then ascending; after a process dies, an adapter may restart at 1. */
  readonly delivery: number;
}

export interface SubscribeOptions {
  /** The consumer group: its members share the messages; other groups are independent. */
  readonly group: string;
  readonly topics: readonly string[];
  readonly handler: (message: IncomingMessage, signal: AbortSignal) => Promise<void>;
  /** Deliveries before a message is dead-lettered; default 5. */
  readonly maxDeliveries?: number;
  /**
   * Handlers that this member runs concurrently, each for a partition of its own; default
   * MAX_CONCURRENT_HANDLERS.
   */
  readonly maxConcurrentHandlers?: number;
  /** Called when the consumer cannot continue: the process should exit and be restarted. */
  readonly onCrash: (error: Error) => void;
}

export interface Subscription extends AsyncDisposable {
  pause(): void;
  resume(): void;
}

/**
 * Topics are declared in code. At start an adapter creates missing topics and corrects settings that can be
 * changed.
 */
export interface TopicDeclaration {
  readonly name: string;
  /** Upper bound of the members of one group that can work concurrently. */
  readonly partitions: number;
  /**
   * Whether partitions may be added to the topic later. That moves keys to other partitions and breaks their
   * order, so it is only for topics whose consumers need no order. Default false.
   */
  readonly mayGrow?: boolean;
  readonly retentionMs: number;
  /** Copies of each message, where there are as many brokers; default DEFAULT_REPLICATION_FACTOR. */
  readonly replicationFactor?: number;
}

/** One copy may be lost while another is down for maintenance, without losing a message. */
export const DEFAULT_REPLICATION_FACTOR = 3;

export const DEFAULT_MAX_DELIVERIES = 5;

/** Concurrent handlers of a subscription that sets no number. */
export const MAX_CONCURRENT_HANDLERS = 8;

export type RedeliveryDelay = (delivery: number) => number;

/**
 * Milliseconds between a failed delivery and the next: .2, 1, 5, 25, then 30 s. Five deliveries outlast an
 * outage of half a minute.
 */
export const redeliveryDelayMs: RedeliveryDelay = (delivery) => Math.min(30_000, 200 * 5 ** (delivery - 1));
