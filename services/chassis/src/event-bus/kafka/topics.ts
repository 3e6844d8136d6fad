/**
 * Topics on Kafka, as declared in code.
 *
 * Missing topics are created. Existing topics are compared at every start. Retention and the number of
 * in-sync replicas that an acknowledgement requires are set as declared; other settings stay. Partitions are
 * added only where the declaration says that order does not matter. A different replication factor is only
 * reported: changing it moves data, which the operator must plan.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, ITopicMetadata } from 'kafkajs';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../process/log.ts';
import { DEFAULT_REPLICATION_FACTOR, type TopicDeclaration } from '../event-bus.ts';
import { isNotAuthorized, isTransient, MissingAclsError } from './errors.ts';

const READY_TIMEOUT_MS = 15_000;
const LOOK_EVERY_MS = 50;

/** Resolves once every partition has a leader. Many processes may run it concurrently. */
export async function ensureTopics(
  admin: Admin,
  topics: readonly TopicDeclaration[],
  log: Logger,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const brokers = (await admin.describeCluster()).brokers.length;
  const missing = topics.filter(({ name }) => !existing.has(name));
  if (missing.length > 0) {
    try {
      await createTopics(admin, missing, brokers);
    } catch (error) {
      // Brokers list no topic that the login may not describe, so it seems to be missing.
      throw isNotAuthorized(error) ? new MissingAclsError(missing.map(({ name }) => name)) : error;
    }
  }
  const metadata = await metadataWithLeaders(
    admin,
    topics.map(({ name }) => name),
  );
  const found = topics.flatMap((topic) => {
    const partitions = metadata.find(({ name }) => name === topic.name)?.partitions ?? [];
    return { topic, partitions: partitions.length, replicationFactor: partitions[0]?.replicas.length ?? 1 };
  });
  for (const one of found) {
    await reconcilePartitions(admin, one, log);
    reportReplication(one, brokers, log);
  }
  await reconcileSettings(admin, found, log);
}

async function createTopics(
  admin: Admin,
  topics: readonly TopicDeclaration[],
  brokers: number,
): Promise<void> {
  // False, without an error, if another process was faster. The library's own wait for leaders gives up if
  // a broker does not know the new topic yet.
  await admin.createTopics({
    waitForLeaders: false,
    topics: topics.map((topic) => {
      const replicationFactor = Math.min(declaredReplicationFactor(topic), brokers);
      return {
        topic: topic.name,
        numPartitions: topic.partitions,
        replicationFactor,
        configEntries: Object.entries(settingsOf(topic, replicationFactor)).map(([name, value]) => ({
          name,
          value,
        })),
      };
    }),
  });
}

interface FoundTopic {
  readonly topic: TopicDeclaration;
  readonly partitions: number;
  readonly replicationFactor: number;
}

async function reconcilePartitions(
  admin: Admin,
  { topic: { name, partitions: declared, mayGrow }, partitions: kept }: FoundTopic,
  log: Logger,
): Promise<void> {
  if (kept === declared) return;
  if (mayGrow !== true || kept > declared) {
    log.warn({ topic: name, kept, declared }, 'a topic keeps its partitions');
    return;
  }
  try {
    await admin.createPartitions({ topicPartitions: [{ topic: name, count: declared }] });
    log.info({ topic: name, from: kept, to: declared }, 'a topic has got more partitions');
  } catch (error) {
    // Another process that starts at the same time may have added them.
    const now = (await admin.fetchTopicMetadata({ topics: [name] })).topics[0]?.partitions.length;
    if (now !== declared) throw error;
  }
}

function reportReplication({ topic, replicationFactor }: FoundTopic, brokers: number, log: Logger): void {
  const declared = declaredReplicationFactor(topic);
  if (replicationFactor === declared || (brokers === 1 && replicationFactor === 1)) return;
  log.warn(
    { topic: topic.name, replicationFactor, declared, brokers },
    brokers < declared
      ? 'a topic has fewer copies than declared: the cluster has too few brokers'
      : 'a topic keeps its copies: reassign its partitions (kafka-reassign-partitions.sh) to change them',
  );
}

/**
 * The request that the client library offers for this replaces all settings of a topic, so the other settings
 * are sent along. If we may not read or write them, the service starts all the same.
 */
async function reconcileSettings(admin: Admin, found: readonly FoundTopic[], log: Logger): Promise<void> {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: found.map(({ topic }) => ({ type: TOPIC_RESOURCE, name: topic.name })),
    });
    for (const { topic, replicationFactor } of found) {
      const entries = resources.find(({ resourceName }) => resourceName === topic.name)?.configEntries ?? [];
      const kept = new Map<string, string>(
        entries.map(({ configName, configValue }) => [configName, configValue] as const),
      );
      const declared = settingsOf(topic, replicationFactor);
      const changes = Object.entries(declared).filter(([name, value]) => kept.get(name) !== value);
      if (changes.length === 0) continue;
      const setOnTopic = entries.filter(({ configSource }) => Number(configSource) === SET_ON_TOPIC);
      const wanted = new Map([
        ...setOnTopic.map(({ configName, configValue }) => [configName, configValue] as const),
        ...Object.entries(declared),
      ]);
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: TOPIC_RESOURCE,
            name: topic.name,
            configEntries: [...wanted].map(([name, value]) => ({ name, value })),
          },
        ],
      });
      for (const [name, value] of changes) {
        log.info(
          { topic: topic.name, setting: name, from: kept.get(name), to: value },
          'a topic was changed',
        );
      }
    }
  } catch (error) {
    if (isTransient(error)) throw error;
    log.warn({ reason: messageOf(error) }, 'the settings of topics cannot be compared with what is declared');
  }
}

/** The protocol's resource type of a topic. */
const TOPIC_RESOURCE = 2;
/** DYNAMIC_TOPIC_CONFIG of the protocol's DescribeConfigs: set on the topic itself, not inherited. */
const SET_ON_TOPIC = 1;

/**
 * An acknowledgement requires all in-sync copies, and at least the number here: with more than one copy, one
 * broker may be down without stopping publishers.
 */
function settingsOf(topic: TopicDeclaration, replicationFactor: number): Record<string, string> {
  return {
    'retention.ms': String(topic.retentionMs),
    'min.insync.replicas': String(Math.max(1, Math.min(2, replicationFactor - 1))),
  };
}

function declaredReplicationFactor({ replicationFactor }: TopicDeclaration): number {
  return replicationFactor ?? DEFAULT_REPLICATION_FACTOR;
}

async function metadataWithLeaders(admin: Admin, topics: string[]): Promise<ITopicMetadata[]> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const metadata = await metadataIfKnown(admin, topics);
    if (metadata?.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) return metadata;
    if (performance.now() > deadline) throw new NoLeaderError(topics);
    await sleep(LOOK_EVERY_MS);
  }
}

/** The brokers have not elected leaders yet, or cannot. */
class NoLeaderError extends Error {
  override readonly name = 'NoLeaderError';
  readonly retriable = true;
  constructor(topics: readonly string[]) {
    super(`not every partition has a leader after ${READY_TIMEOUT_MS / 1_000} s: ${topics.join(', ')}`);
  }
}

/** Undefined while a broker does not know a topic or its leaders. */
async function metadataIfKnown(admin: Admin, topics: string[]): Promise<ITopicMetadata[] | undefined> {
  try {
    return (await admin.fetchTopicMetadata({ topics })).topics;
  } catch (error) {
    if (error instanceof Error && 'retriable' in error && error.retriable === true) return undefined;
    throw error;
  }
}
