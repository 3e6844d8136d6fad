import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ACCOUNT, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { fromProtoDelivery } from '../mapping/webhooks.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { ref } from '../schemas/ref.ts';
import { Delivery, DeliveryList, DeliveryParams, WebhookSecret } from '../schemas/webhooks.ts';
import type { RouteDependencies } from './route-dependencies.ts';

const tags = ['Webhooks'];

export function webhookRoutes({ services }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { webhooks, actingFor } = services;
  return async (app) => {
    app.get(
      '/webhooks/secret',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'getWebhookSecret',
          tags,
          summary: 'Read the signing secret',
          description: 'Notifications are signed as Standard Webhooks 1.0 lays down.',
          response: { 200: ref(WebhookSecret) },
        },
      }),
      async (request) => {
        const { secret } = await webhooks.getSecret({}, actingFor(principalOf(request)));
        return { secret };
      },
    );

    app.post(
      '/webhooks/secret/rotate',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'rotateWebhookSecret',
          tags,
          summary: 'Replace the signing secret',
          description: 'For 24 hours notifications carry a signature by the old and one by the new secret.',
          response: { 200: ref(WebhookSecret) },
        },
      }),
      async (request) => {
        const { secret } = await webhooks.rotateSecret({}, actingFor(principalOf(request)));
        return { secret };
      },
    );

    app.get(
      '/webhooks/deliveries',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'listDeliveries',
          tags,
          summary: 'List deliveries',
          description: 'Newest first, each with the attempts made so far.',
          querystring: PageQuery,
          response: { 200: ref(DeliveryList) },
        },
      }),
      async (request) => {
        const page = pageOf(request.query);
        const { deliveries, total } = await webhooks.listDeliveries(page, actingFor(principalOf(request)));
        return { data: deliveries.map(fromProtoDelivery), pagination: toPagination(page, total) };
      },
    );

    app.post(
      '/webhooks/deliveries/:deliveryId/replay',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'replayDelivery',
          tags,
          summary: 'Deliver again',
          description: 'Queues the same notification once more, under its own id.',
          params: DeliveryParams,
          response: { 202: ref(Delivery) },
        },
      }),
      async (request, reply) => {
        const { delivery } = await webhooks.replayDelivery(request.params, actingFor(principalOf(request)));
        return reply.code(202).send(fromProtoDelivery(delivery));
      },
    );
  };
}
