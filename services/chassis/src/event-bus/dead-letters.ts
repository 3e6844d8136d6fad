/**
 * Handling of messages that a group cannot process.
 *
 * For each of its topics, every group has one topic with the messages that failed for good, and one through
 * which an operator replays them. Only this group reads the second, so a replay reaches no other consumer of
 * the original topic. Replayed messages carry the original topic's name, and return to the dead letters if
 * they fail again.
 */
import { messageOf } from '../errors.ts';
import type {
  DeadLetterQueue,
  IncomingMessage,
  OutgoingMessage,
  SubscribeOptions,
  TopicDeclaration,
} from './event-bus.ts';

const ERROR_HEADER = 'dead-letter-error';
const DELIVERIES_HEADER = 'dead-letter-deliveries';
const REPLAY_SUFFIX = '.replay';
const DEAD_LETTER_SUFFIX = '.dead-letter';
const RETENTION_MS = 30 * 86_400_000;
/** An error that quotes the message must not make the letter too large to store. */
const MAX_ERROR_LENGTH = 2_000;

export function deadLetterTopic(group: string, topic: string): string {
  return `${group}.${topic}${DEAD_LETTER_SUFFIX}`;
}

export function replayTopic(group: string, topic: string): string {
  return `${group}.${topic}${REPLAY_SUFFIX}`;
}

/** One partition each: dead letters are few, and stay in the order in which they failed. */
export function deadLetterDeclarations(group: string, topics: readonly string[]): TopicDeclaration[] {
  return topics
    .flatMap((topic) => [deadLetterTopic(group, topic), replayTopic(group, topic)])
    .map((name) => ({ name, partitions: 1, retentionMs: RETENTION_MS }));
}

/** The queues of the subscribed groups, without duplicates. */
export function deadLetterQueuesOf(
  subscriptions: Iterable<Pick<SubscribeOptions, 'group' | 'topics'>>,
): DeadLetterQueue[] {
  const queues = [...subscriptions].flatMap(({ group, topics }) => topics.map((topic) => ({ group, topic })));
  return [...new Map(queues.map((queue) => [deadLetterTopic(queue.group, queue.topic), queue])).values()];
}

/** The dead-letter queues among these topics. The declared topics show where a group's name ends. */
export function deadLetterQueuesAmong(
  names: readonly string[],
  declaredTopics: readonly string[],
): DeadLetterQueue[] {
  return names.flatMap((name) => {
    const topic = declaredTopics.find((declared) => name.endsWith(`.${declared}${DEAD_LETTER_SUFFIX}`));
    if (topic === undefined) return [];
    return [{ group: name.slice(0, -`.${topic}${DEAD_LETTER_SUFFIX}`.length), topic }];
  });
}

/** The same subscription, extended by its group's replay topics. */
export function withReplays(options: SubscribeOptions): SubscribeOptions {
  const { group, topics, handler } = options;
  return {
    ...options,
    topics: [...topics, ...topics.map((topic) => replayTopic(group, topic))],
    handler: (message, signal) => handler({ ...message, topic: originalTopic(group, message.topic) }, signal),
  };
}

export function toDeadLetter(group: string, message: IncomingMessage, error: unknown): OutgoingMessage {
  return {
    topic: deadLetterTopic(group, originalTopic(group, message.topic)),
    key: message.key,
    value: message.value,
    headers: {
      ...message.headers,
      [ERROR_HEADER]: messageOf(error).slice(0, MAX_ERROR_LENGTH),
      [DELIVERIES_HEADER]: String(message.delivery),
    },
  };
}

/** The original message, addressed to the replay topic of its group. */
export function toReplay({ group, topic }: DeadLetterQueue, letter: OutgoingMessage): OutgoingMessage {
  const { [ERROR_HEADER]: _error, [DELIVERIES_HEADER]: _deliveries, ...headers } = letter.headers;
  return { topic: replayTopic(group, topic), key: letter.key, value: letter.value, headers };
}

/** Why, and after how many deliveries, a message became a dead letter. */
export function failureOf(letter: OutgoingMessage): { readonly error: string; readonly deliveries: number } {
  return {
    error: letter.headers[ERROR_HEADER] ?? '',
    deliveries: Number(letter.headers[DELIVERIES_HEADER] ?? 0),
  };
}

function originalTopic(group: string, topic: string): string {
  const prefix = `${group}.`;
  if (!topic.startsWith(prefix) || !topic.endsWith(REPLAY_SUFFIX)) return topic;
  return topic.slice(prefix.length, -REPLAY_SUFFIX.length);
}
