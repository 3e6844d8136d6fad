/**
 * The event bus on Kafka (brokers from 2.1 to 4.x), through kafkajs.
 *
 * Topics: topics.ts. Publishing: producer.ts. Consuming: consumer.ts and partition.ts.
 */
import type { Admin, KafkaConfig } from 'kafkajs';
import { StartError } from '../../process/lifecycle.ts';
import type { Logger } from '../../process/log.ts';
import { reasonOf } from '../../secrets/certificate-faults.ts';
import { deadLetterDeclarations, deadLetterQueuesOf, withReplays } from '../dead-letters.ts';
import {
  type MonitoredEventBus,
  type RedeliveryDelay,
  redeliveryDelayMs,
  type SubscribeOptions,
  type Subscription,
  type TopicDeclaration,
} from '../event-bus.ts';
import { Kafka, logLevel } from './client.ts';
import type { KafkaConnection } from './connection.ts';
import { startKafkaConsumer } from './consumer.ts';
import { isTrustError, MissingAclsError, retryUntilAvailable } from './errors.ts';
import { countDeadLetters, fetchLag } from './lag.ts';
import { createKafkaProducer } from './producer.ts';
import { ensureTopics } from './topics.ts';

export interface KafkaEventBusOptions extends KafkaConnection {
  readonly clientId: string;
  readonly topics: readonly TopicDeclaration[];
  readonly log: Logger;
  /** How the client connects and tries again, in the library's terms: for tunnels and tests. */
  readonly connection?: Pick<KafkaConfig, 'socketFactory' | 'requestTimeout' | 'retry'>;
  readonly sessionTimeoutMs?: number;
  /** How long opening and subscribing wait for brokers to become ready; default one minute. */
  readonly startTimeoutMs?: number;
  readonly redeliveryDelayMs?: RedeliveryDelay;
}

const CHECK_TIMEOUT_MS = 3_000;
const DEFAULT_START_TIMEOUT_MS = 60_000;

/**
 * The partitions of a killed member, and the jobs offered there, wait for this long. Heartbeats are sent once
 * a second and do not wait for handlers, so a healthy member keeps its session.
 */
const DEFAULT_SESSION_TIMEOUT_MS = 10_000;

export async function openKafkaEventBus(options: KafkaEventBusOptions): Promise<MonitoredEventBus> {
  const { log } = options;
  const kafka = new Kafka({
    ...options.security,
    ...options.connection,
    clientId: options.clientId,
    brokers: [...options.brokers],
    logLevel: logLevel.INFO,
    logCreator: () => createLogBridge(log),
  });
  const declared = new Set<string>();
  const subscriptions = new Map<Subscription, SubscribeOptions>();
  const admin = kafka.admin();
  const producer = createKafkaProducer(kafka, log);

  const declare = async (client: Admin, topics: readonly TopicDeclaration[]) => {
    await ensureTopics(client, topics, log);
    for (const { name } of topics) declared.add(name);
  };
  /**
   * A client that has read a topic's offsets fails at every request after the topic is lost, so a new client
   * creates it again.
   */
  const declareAgain = async (topics: readonly TopicDeclaration[]) => {
    const fresh = kafka.admin();
    try {
      await fresh.connect();
      await declare(fresh, topics);
    } finally {
      await fresh.disconnect();
    }
  };
  const assertDeclared = (topics: readonly string[]) => {
    const unknown = topics.find((topic) => !declared.has(topic));
    if (unknown !== undefined) throw new Error(`the topic ${unknown} is not declared`);
  };

  const checkBrokers = () => withinCheckTimeout(admin.describeCluster());
  const whenReady = <T>(what: string, attempt: () => Promise<T>) =>
    retryUntilAvailable({ what, log, forMs: options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS }, attempt);

  try {
    await whenReady('the topics', async () => {
      await admin.connect();
      await declare(admin, options.topics);
    });
  } catch (error) {
    await admin.disconnect();
    if (!isTrustError(error) && !(error instanceof MissingAclsError)) throw error;
    throw new StartError(`Kafka at ${options.brokers.join()} cannot be used: ${reasonOf(error)}`);
  }

  return {
    async publish(messages) {
      assertDeclared(messages.map((message) => message.topic));
      if (messages.length > 0) await producer.publish(messages);
    },
    async subscribe(subscribeOptions) {
      const { group, topics } = subscribeOptions;
      assertDeclared(topics);
      const replayed = withReplays(subscribeOptions);
      const deadLetters = deadLetterDeclarations(group, topics);
      const subscription = await whenReady(`the group ${group}`, async () => {
        await declare(admin, deadLetters);
        return startKafkaConsumer({
          ...replayed,
          kafka,
          log,
          publish: producer.publish,
          checkBrokers,
          declareTopics: () => declareAgain([...options.topics, ...deadLetters]),
          redeliveryDelayMs: options.redeliveryDelayMs ?? redeliveryDelayMs,
          sessionTimeoutMs: options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS,
        });
      });
      subscriptions.set(subscription, subscribeOptions);
      return {
        pause: () => subscription.pause(),
        resume: () => subscription.resume(),
        async [Symbol.asyncDispose]() {
          subscriptions.delete(subscription);
          await subscription[Symbol.asyncDispose]();
        },
      };
    },
    async lag() {
      const consumed = [...subscriptions.values()].map(withReplays);
      const lag = await Promise.all(consumed.map(({ group, topics }) => fetchLag(admin, group, topics)));
      return lag.flat();
    },
    deadLetters: () => countDeadLetters(admin, deadLetterQueuesOf(subscriptions.values())),
    check: checkBrokers,
    async [Symbol.asyncDispose]() {
      await Promise.all([...subscriptions.keys()].map((subscription) => subscription[Symbol.asyncDispose]()));
      await producer[Symbol.asyncDispose]();
      await admin.disconnect();
    },
  };
}

async function withinCheckTimeout(answer: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeout.reject(new Error(`no answer from Kafka within ${CHECK_TIMEOUT_MS} ms`));
  }, CHECK_TIMEOUT_MS);
  try {
    await Promise.race([answer, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type LogEntry = Parameters<ReturnType<NonNullable<KafkaConfig['logCreator']>>>[0];

/**
 * The library mostly recovers by itself from what it logs as an error; other errors are reported to our code
 * and logged there. Refused requests (`Response …`) occur at every rebalance and every new topic.
 */
function createLogBridge(log: Logger): (entry: LogEntry) => void {
  return ({ level, namespace, log: { message, timestamp: _, ...details } }) => {
    const text = `kafka ${namespace.toLowerCase()}: ${message}`;
    const isNews = level === logLevel.ERROR || level === logLevel.WARN;
    if (isNews && !message.startsWith('Response ')) log.warn(details, text);
    else log.debug(details, text);
  };
}
