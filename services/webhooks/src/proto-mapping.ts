import { NOTIFICATION_TYPES } from '@audiosplit/proto/vocabulary';
import {
  AttemptSchema,
  DeliverySchema,
  EndpointSchema,
  type Attempt as ProtoAttempt,
  type Delivery as ProtoDelivery,
  type Endpoint as ProtoEndpoint,
} from '@audiosplit/proto/webhooks/v1/webhooks';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Attempt, Delivery } from './delivery/delivery.ts';
import type { Endpoint } from './store/endpoints.ts';

export function toProtoDelivery(delivery: Delivery): ProtoDelivery {
  return create(DeliverySchema, {
    id: delivery.id,
    type: delivery.type,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts.map(toProtoAttempt),
    ...(delivery.nextAttemptAt && { nextAttemptAt: timestampFromDate(delivery.nextAttemptAt) }),
    createdAt: timestampFromDate(delivery.createdAt),
  });
}

function toProtoAttempt({ at, statusCode, error }: Attempt): ProtoAttempt {
  return create(AttemptSchema, {
    at: timestampFromDate(at),
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(error === undefined ? {} : { error }),
  });
}

export function toProtoEndpoint({ url, events, createdAt, updatedAt }: Endpoint): ProtoEndpoint {
  return create(EndpointSchema, {
    url,
    events: [...(events ?? NOTIFICATION_TYPES)],
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  });
}
