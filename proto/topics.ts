/**
 * The bus's topics, as part of the contract between services: who publishes where, and how events find
 * their topic. Partitions bound how many members of one group can work at once,
 * and stay as they are where the order of keys matters.
 */
import type { Event } from './gen/audiosplit/events/v1/events_pb.js';

export const TOPICS = {
  /** The splitters' work queue. A splitter claims and goes on, so few partitions serve many pods well; 64 is the most pods. */
  splitRequests: 'audiosplit.split-requests',
  splits: 'audiosplit.splits',
  accounts: 'audiosplit.accounts',
  apiKeys: 'audiosplit.api-keys',
} as const;

type Topic = (typeof TOPICS)[keyof typeof TOPICS];

const DAY_MS = 86_400_000;

/** How long a group may be away and still miss nothing. */
const RETENTION_MS = 7 * DAY_MS;

/** Three copies of everything: one broker may die while another is down for maintenance, and nothing is lost. */
const REPLICATION_FACTOR = 3;

interface EventTopic {
  readonly name: Topic;
  readonly partitions: number;
  /** Its consumers do not need the order of keys, which more partitions would break. */
  readonly mayGrow: boolean;
  readonly retentionMs: number;
  readonly replicationFactor: number;
}

export const TOPIC_DECLARATIONS: readonly EventTopic[] = [
  // A request only wakes a splitter, which claims its job elsewhere.
  topic(TOPICS.splitRequests, { partitions: 64, mayGrow: true }),
  topic(TOPICS.splits, { partitions: 12, mayGrow: false }),
  topic(TOPICS.accounts, { partitions: 12, mayGrow: false }),
  topic(TOPICS.apiKeys, { partitions: 12, mayGrow: false }),
];

function topic(name: Topic, rest: Pick<EventTopic, 'partitions' | 'mayGrow'>): EventTopic {
  return { name, ...rest, retentionMs: RETENTION_MS, replicationFactor: REPLICATION_FACTOR };
}

type PayloadCase = NonNullable<Event['payload']['case']>;

/** Complete by its type: a new kind of event does not compile without a topic. */
export const TOPIC_OF: Record<PayloadCase, Topic> = {
  splitRequested: TOPICS.splitRequests,
  splitStatusChanged: TOPICS.splits,
  splitDeleted: TOPICS.splits,
  segmentsExpired: TOPICS.splits,
  accountRegistered: TOPICS.accounts,
  accountProfileChanged: TOPICS.accounts,
  accountLimitsChanged: TOPICS.accounts,
  accountDeletionRequested: TOPICS.accounts,
  accountRestored: TOPICS.accounts,
  accountPurged: TOPICS.accounts,
  exportFinished: TOPICS.accounts,
  usageThreshold: TOPICS.accounts,
  signInLinkRequested: TOPICS.accounts,
  mailRequested: TOPICS.accounts,
  accountSuspensionChanged: TOPICS.accounts,
  refundChanged: TOPICS.accounts,
  apiKeyChanged: TOPICS.apiKeys,
};
