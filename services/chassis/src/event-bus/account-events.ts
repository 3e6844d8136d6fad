/** The envelope of what a service tells about an account. What is in it is known to the services only. */
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPIC_OF } from '@audiosplit/proto/topics';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { newId } from '../ids.ts';
import type { OutboxMessage } from '../outbox/outbox.ts';
import { toOutboxMessage } from './events.ts';

type EventInit = Exclude<MessageInitShape<typeof EventSchema>, Event>;
export type EventPayload = Extract<NonNullable<EventInit['payload']>, { case: string }>;

/** An event with an id of its own, in order with the others of its account. */
export function accountEvent(accountId: string, occurredAt: Date, payload: EventPayload): OutboxMessage {
  const event = create(EventSchema, {
    id: newId('evt', occurredAt),
    occurredAt: timestampFromDate(occurredAt),
    accountId,
    payload,
  });
  return toOutboxMessage(EventSchema, event, TOPIC_OF[payload.case], accountId);
}
