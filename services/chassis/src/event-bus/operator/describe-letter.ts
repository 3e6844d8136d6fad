/** Describes a dead letter's content for people. */
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf';
import { messageOf } from '../../errors.ts';
import type { DeadLetter } from '../bus-operations.ts';
import { failureOf, toReplay } from '../dead-letters.ts';
import type { DeadLetterQueue } from '../event-bus.ts';

interface LetterDescription {
  readonly position: string;
  readonly failedAt: string;
  readonly error: string;
  readonly deliveries: number;
  readonly key: string;
  /** The event's kind and id. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded event, or the reason why it cannot be decoded. */
  readonly content: Readonly<Record<string, JsonValue>>;
}

export function describeLetter(queue: DeadLetterQueue, letter: DeadLetter): LetterDescription {
  return {
    position: String(letter.position),
    failedAt: letter.failedAt.toISOString(),
    ...failureOf(letter.message),
    key: letter.message.key,
    headers: toReplay(queue, letter.message).headers,
    ...eventOf(letter),
  };
}

/** A message may be a dead letter precisely because it cannot be decoded. */
function eventOf({ message }: DeadLetter): Pick<LetterDescription, 'name' | 'content'> {
  try {
    const event = fromBinary(EventSchema, message.value);
    return {
      name: `${event.payload.case ?? 'unknown'} ${event.id}`,
      content: { event: toJson(EventSchema, event) },
    };
  } catch (error) {
    return {
      name: 'undecodable',
      content: {
        undecodable: messageOf(error),
        valueBase64: Buffer.from(message.value).toString('base64'),
      },
    };
  }
}
