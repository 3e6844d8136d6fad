/**
 * The event bus port: at-least-once delivery of keyed messages to consumer groups.
 *
 * Adapters: `kafka.ts` and `postgres.ts`; `event-bus.contract.ts` holds both to the same promises:
 *
 * - `publish` resolves only once every message is durable (Kafka: acknowledged by all in-sync replicas).
 * - Every group sees every message of its topics at least once, from the oldest that is retained: a new
 *   group begins there, too. What a group has not consumed within the retention is lost to it.
 * - Messages of one topic with one key reach a group in the order of their publication, one at a time. Only
 *   where a member is taken for dead while it still runs (a stalled process, a rebalance) may the message in
 *   its hands reach another member as well; its signal is aborted as soon as it learns of that.
 * - A message counts as consumed when its handler has resolved. A handler that rejects sees the message
 *   again, after a growing delay, up to `maxDeliveries` times; then it goes to the topic
 *   `<group>.<topic>.dead-letter` with the error in its headers, and the partition goes on. An operator may
 *   give it back to the group (bus-operations.ts): it then comes after, or beside, later messages of its key.
 * - Other partitions go on while one waits for its handler or for a redelivery.
 * - A paused subscription takes no new message; those in hand finish.
 * - Disposing a subscription aborts the signals of its handlers and waits for them. A handler that then
 *   rejects gives its message back as if it had not been delivered.
 */
export interface EventBus extends AsyncDisposable {
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** Resolves when the bus can be reached, rejects with the reason otherwise. For readiness. */
  check(): Promise<void>;
  /** Where the bus lies in a database: transactions there can publish by themselves, as a part of them. */
  readonly database?: BusDatabase | undefined;
}

export interface BusDatabase {
  readonly url: string;
  /** Has to be called for each message that a transaction has published, with its topic. */
  readonly onPublished: (topics: readonly string[]) => void;
}

/** The bus as the process around the services sees it. */
export interface MonitoredEventBus extends EventBus {
  /** Of the groups that are subscribed through this bus, all of their members taken together. */
  lag(): Promise<PartitionLag[]>;
  /** Of the same groups, for each of their topics. */
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
  /** 1 at the first delivery, then counting up; where a process dies, an adapter may begin anew. */
  readonly delivery: number;
}

export interface SubscribeOptions {
  /** The consumer group: its members share the messages, other groups are not affected. */
  readonly group: string;
  readonly topics: readonly string[];
  readonly handler: (message: IncomingMessage, signal: AbortSignal) => Promise<void>;
  /** Deliveries before a message is dead-lettered; default 5. */
  readonly maxDeliveries?: number;
  /** Handlers that this member runs at a time, each for a partition of its own; default MAX_CONCURRENT_HANDLERS. */
  readonly maxConcurrentHandlers?: number;
  /** Called when the consumer has died for good: the process should exit and be restarted. */
  readonly onCrash: (error: Error) => void;
}

export interface Subscription extends AsyncDisposable {
  pause(): void;
  resume(): void;
}

/** Topics are declared in code: an adapter creates what is missing at start, and mends what can be mended. */
export interface TopicDeclaration {
  readonly name: string;
  /** Upper bound of the members of one group that can work at the same time. */
  readonly partitions: number;
  /**
   * Whether more partitions may be added to the topic later. That sends keys elsewhere, and breaks their
   * order: only for topics whose consumers do not need it. Default false.
   */
  readonly mayGrow?: boolean;
  readonly retentionMs: number;
  /** Copies of each message, where there are as many brokers; default DEFAULT_REPLICATION_FACTOR. */
  readonly replicationFactor?: number;
}

/** One copy may be lost, and another be away for maintenance, without losing a message. */
export const DEFAULT_REPLICATION_FACTOR = 3;

export const DEFAULT_MAX_DELIVERIES = 5;

/** How many handlers of one subscription run at a time where it does not say itself. */
export const MAX_CONCURRENT_HANDLERS = 8;

export type RedeliveryDelay = (delivery: number) => number;

/** Milliseconds between a failed delivery and the next: .2, 1, 5, 25, then 30 s. Five cover half a minute's outage. */
export const redeliveryDelayMs: RedeliveryDelay = (delivery) => Math.min(30_000, 200 * 5 ** (delivery - 1));
