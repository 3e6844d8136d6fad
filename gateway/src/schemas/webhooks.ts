import { NOTIFICATION_TYPES } from '@audiosplit/proto/vocabulary';
import { type Static, Type } from 'typebox';
import { CLOSED, nullableTimestamp, oneOf, pathId, timestamp, WEBHOOK_EXAMPLE, webUrl } from './fields.ts';
import { Pagination } from './pagination.ts';
import { ref } from './ref.ts';

export const WebhookSecret = Type.Object(
  { secret: Type.String({ description: 'Verifies the signature of every notification to this account.' }) },
  { $id: 'WebhookSecret' },
);

export const DeliveryParams = Type.Object({ deliveryId: pathId('dlv', 'The delivery.') });

export const Delivery = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ examples: ['split.completed'] }),
    url: Type.String(),
    status: oneOf(['pending', 'delivered', 'failed'], 'Where the delivery stands.'),
    attempts: Type.Array(
      Type.Object({
        at: timestamp('When it was tried.'),
        statusCode: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'Null without an answer.',
        }),
        error: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'Null when it went well.',
        }),
      }),
    ),
    nextAttemptAt: nullableTimestamp('Null when there is none to come.'),
    createdAt: timestamp('When the event took place.'),
  },
  { $id: 'Delivery' },
);
export type Delivery = Static<typeof Delivery>;

export const DeliveryList = Type.Object(
  { data: Type.Array(ref(Delivery)), pagination: ref(Pagination) },
  { $id: 'DeliveryList' },
);

const endpointUrl = webUrl('Where notifications are posted to.', WEBHOOK_EXAMPLE);
const notificationType = oneOf([...NOTIFICATION_TYPES], 'A type of notification.');

export const PutEndpointBody = Type.Object(
  {
    url: endpointUrl,
    events: Type.Optional(
      Type.Array(notificationType, {
        minItems: 1,
        maxItems: NOTIFICATION_TYPES.length,
        uniqueItems: true,
        description: 'Which notifications go there. Left out: all, those of later releases too.',
      }),
    ),
  },
  CLOSED,
);

export const WebhookEndpoint = Type.Object(
  {
    url: endpointUrl,
    events: Type.Array(notificationType, { description: 'Which notifications go there.' }),
    createdAt: timestamp('When it was first set.'),
    updatedAt: timestamp('When it was last set.'),
  },
  { $id: 'WebhookEndpoint' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;
