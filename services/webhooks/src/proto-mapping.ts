import {
  AttemptSchema,
  DeliverySchema,
  type Attempt as ProtoAttempt,
  type Delivery as ProtoDelivery,
} from '@audiosplit/proto/webhooks/v1/webhooks';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Attempt, Delivery } from './delivery/delivery.ts';

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
