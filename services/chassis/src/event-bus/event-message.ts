/** The envelope of an event as an outbox message. Only the services interpret the payload. */
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPIC_OF } from '@audiosplit/proto/topics';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { newId } from '../ids.ts';
import type { OutboxMessage } from '../outbox/outbox.ts';

type EventInit = Exclude<MessageInitShape<typeof EventSchema>, Event>;
export type EventPayload = Extract<NonNullable<EventInit['payload']>, { case: string }>;

export interface EventMessageOptions {
  /** Events with the same key keep their order; the account by default. */
  readonly key?: string;
  /** Set to publish the same event again. */
  readonly id?: string | undefined;
}

export function eventMessage(
  accountId: string,
  occurredAt: Date,
  payload: EventPayload,
  { key = accountId, id = newId('evt', occurredAt) }: EventMessageOptions = {},
): OutboxMessage {
  const event = create(EventSchema, { id, occurredAt: timestampFromDate(occurredAt), accountId, payload });
  return { topic: TOPIC_OF[payload.case], key, value: toBinary(EventSchema, event) };
}
