import { NOTIFICATION_TYPES } from '@audiosplit/proto/vocabulary';
import type {
  Delivery as ProtoDelivery,
  Endpoint as ProtoEndpoint,
} from '@audiosplit/proto/webhooks/v1/webhooks';
import type { Delivery, WebhookEndpoint } from '../schemas/webhooks.ts';
import { oneOfWords, present, toIsoTime, toIsoTimeOrNull } from './messages.ts';

export function fromProtoDelivery(from: ProtoDelivery | undefined): Delivery {
  const delivery = present(from, 'a delivery');
  return {
    id: delivery.id,
    type: delivery.type,
    url: delivery.url,
    status: oneOfWords(['pending', 'delivered', 'failed'], delivery.status),
    attempts: delivery.attempts.map(({ at, statusCode, error }) => ({
      at: toIsoTime(at),
      statusCode: statusCode ?? null,
      error: error ?? null,
    })),
    nextAttemptAt: toIsoTimeOrNull(delivery.nextAttemptAt),
    createdAt: toIsoTime(delivery.createdAt),
  };
}

export function fromProtoEndpoint(from: ProtoEndpoint | undefined): WebhookEndpoint {
  const { url, events, createdAt, updatedAt } = present(from, 'an endpoint');
  return {
    url,
    // A newer service may have further types.
    events: NOTIFICATION_TYPES.filter((type) => events.includes(type)),
    createdAt: toIsoTime(createdAt),
    updatedAt: toIsoTime(updatedAt),
  };
}
