import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { invalidParams } from '../http/input/validation.ts';
import { ACCOUNT, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { fromProtoDelivery, fromProtoEndpoint } from '../mapping/webhooks.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { ref } from '../schemas/ref.ts';
import {
  Delivery,
  DeliveryList,
  DeliveryParams,
  PutEndpointBody,
  WebhookEndpoint,
  WebhookSecret,
} from '../schemas/webhooks.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { checkUrl } from './split-request.ts';

const tags = ['Webhooks'];

export function webhookRoutes({ services }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { webhooks, actingFor } = services;
  return async (app) => {
    app.put(
      '/webhooks/endpoint',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'setWebhookEndpoint',
          tags,
          summary: 'Set the endpoint of the account',
          description:
            'Notifications of all jobs and exports are sent there, in addition to the `webhookUrl` that each of them may have; ' +
            'where both are the same, once. So does what concerns the account.',
          body: PutEndpointBody,
          response: { 200: ref(WebhookEndpoint) },
        },
      }),
      async (request) => {
        const change = toEndpointRequest(request.body);
        const answer = await webhooks.putEndpoint(change, actingFor(principalOf(request)));
        return fromProtoEndpoint(answer.endpoint);
      },
    );

    app.get(
      '/webhooks/endpoint',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'getWebhookEndpoint',
          tags,
          summary: 'Read the endpoint of the account',
          response: { 200: ref(WebhookEndpoint) },
        },
      }),
      async (request) => {
        const answer = await webhooks.getEndpoint({}, actingFor(principalOf(request)));
        return fromProtoEndpoint(answer.endpoint);
      },
    );

    app.delete(
      '/webhooks/endpoint',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'deleteWebhookEndpoint',
          tags,
          summary: 'Remove the endpoint of the account',
          description: 'Pending notifications are still sent there.',
          response: { 204: Type.Null({ description: 'Removed.' }) },
        },
      }),
      async (request, reply) => {
        await webhooks.deleteEndpoint({}, actingFor(principalOf(request)));
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/webhooks/test',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'testWebhookEndpoint',
          tags,
          summary: 'Send a test notification',
          description:
            'Queues one signed `ping` to the endpoint of the account. It is sent once; the list of deliveries shows ' +
            'what became of it.',
          response: { 202: ref(Delivery) },
        },
      }),
      async (request, reply) => {
        const { delivery } = await webhooks.testEndpoint({}, actingFor(principalOf(request)));
        return reply.code(202).send(fromProtoDelivery(delivery));
      },
    );

    app.get(
      '/webhooks/secret',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'getWebhookSecret',
          tags,
          summary: 'Read the signing secret',
          description: 'Notifications are signed according to Standard Webhooks 1.0.',
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
          description:
            'For 24 hours notifications carry a signature with the old secret and one with the new.',
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
          description: 'Queues the same notification again, with the same id.',
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

/** Throws INVALID_PARAMS. */
export function toEndpointRequest({ url, events = [] }: Static<typeof PutEndpointBody>) {
  const violations = checkUrl('url', url);
  if (violations.length > 0) throw invalidParams(violations);
  return { url, events };
}
