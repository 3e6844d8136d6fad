import { type Static, Type } from 'typebox';
import { nullableTimestamp, oneOf, pathId, timestamp } from './fields.ts';
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
