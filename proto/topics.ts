/**
 * The bus's topics, as part of the contract between services: who publishes where, and how events find
 * their topic. Partitions bound how many members of one group can work at once.
 */
import type { Event } from './gen/audiosplit/events/v1/events_pb.js';

export const TOPICS = {
  /** The splitters' work queue. A splitter claims and goes on, so few partitions serve many pods well; 64 is the most pods. */
  splitRequests: 'audiosplit.split-requests',
  splits: 'audiosplit.splits',
  accounts: 'audiosplit.accounts',
  apiKeys: 'audiosplit.api-keys',
} as const;

export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

const DAY_MS = 86_400_000;

export const TOPIC_DECLARATIONS = [
  { name: TOPICS.splitRequests, partitions: 64, retentionMs: 7 * DAY_MS },
  { name: TOPICS.splits, partitions: 12, retentionMs: 7 * DAY_MS },
  { name: TOPICS.accounts, partitions: 12, retentionMs: 7 * DAY_MS },
  { name: TOPICS.apiKeys, partitions: 12, retentionMs: 7 * DAY_MS },
] as const satisfies readonly { name: Topic; partitions: number; retentionMs: number }[];

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
  apiKeyChanged: TOPICS.apiKeys,
};
