import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { invalidParams } from '../http/input/validation.ts';
import { ACCOUNT, type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { fromProtoApiKey, fromProtoCreatedApiKey } from '../mapping/api-keys.ts';
import { fromIsoTime } from '../mapping/messages.ts';
import {
  ApiKey,
  ApiKeyList,
  ApiKeyParams,
  CreateApiKeyBody,
  CreatedApiKey,
  RotateApiKeyBody,
  UpdateApiKeyBody,
} from '../schemas/api-keys.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { ref } from '../schemas/ref.ts';
import type { RouteDependencies } from './route-dependencies.ts';

const tags = ['API keys'];
const KEY_MANAGER: Access = { kind: 'accountOrApiKey', scope: 'keys:manage' };

export function apiKeyRoutes({
  services: { auth, actingFor },
}: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api-keys',
      endpoint({
        access: ACCOUNT,
        errors: ['KEY_LIMIT_REACHED'],
        schema: {
          operationId: 'createApiKey',
          tags,
          summary: 'Create an API key',
          description:
            'The secret is shown in this response only. Without `scopes` the key may read and write splits and manage keys; `connections:manage` must be requested.',
          body: CreateApiKeyBody,
          response: { 201: ref(CreatedApiKey) },
        },
      }),
      async (request, reply) => {
        const { name, scopes = [], expiresAt } = request.body;
        const created = await auth.createApiKey(
          { name, scopes, ...(expiresAt ? { expiresAt: toExpiryTime(expiresAt) } : {}) },
          actingFor(principalOf(request)),
        );
        return reply.code(201).send(fromProtoCreatedApiKey(created));
      },
    );

    app.patch(
      '/api-keys/:keyId',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'updateApiKey',
          tags,
          summary: 'Change an API key',
          description: 'Only the given fields change; `expiresAt: null` removes the expiry.',
          params: ApiKeyParams,
          body: UpdateApiKeyBody,
          response: { 200: ref(ApiKey) },
        },
      }),
      async (request) => {
        const change = toKeyChange(request.params.keyId, request.body);
        const { apiKey } = await auth.updateApiKey(change, actingFor(principalOf(request)));
        return fromProtoApiKey(apiKey);
      },
    );

    app.get(
      '/api-keys',
      endpoint({
        access: KEY_MANAGER,
        schema: {
          operationId: 'listApiKeys',
          tags,
          summary: 'List API keys',
          description: 'Shows previews only; secrets cannot be read back.',
          querystring: PageQuery,
          response: { 200: ref(ApiKeyList) },
        },
      }),
      async (request) => {
        const page = pageOf(request.query);
        const { apiKeys, total } = await auth.listApiKeys(page, actingFor(principalOf(request)));
        return { data: apiKeys.map(fromProtoApiKey), pagination: toPagination(page, total) };
      },
    );

    app.get(
      '/api-keys/:keyId',
      endpoint({
        access: KEY_MANAGER,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'getApiKey',
          tags,
          summary: 'Read an API key',
          params: ApiKeyParams,
          response: { 200: ref(ApiKey) },
        },
      }),
      async (request) =>
        fromProtoApiKey((await auth.getApiKey(request.params, actingFor(principalOf(request)))).apiKey),
    );

    app.delete(
      '/api-keys/:keyId',
      endpoint({
        access: KEY_MANAGER,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'revokeApiKey',
          tags,
          summary: 'Revoke an API key',
          description: 'The key is refused everywhere within a second.',
          params: ApiKeyParams,
          response: { 204: Type.Null({ description: 'Revoked.' }) },
        },
      }),
      async (request, reply) => {
        await auth.revokeApiKey(request.params, actingFor(principalOf(request)));
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/api-keys/:keyId/rotate',
      endpoint({
        access: KEY_MANAGER,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'rotateApiKey',
          tags,
          summary: 'Give an API key a new secret',
          description: 'The new secret is shown in this response only.',
          params: ApiKeyParams,
          body: RotateApiKeyBody,
          response: { 201: ref(CreatedApiKey) },
        },
      }),
      async (request, reply) => {
        const { graceSeconds = 0 } = request.body;
        const rotated = await auth.rotateApiKey(
          { ...request.params, graceSeconds },
          actingFor(principalOf(request)),
        );
        return reply.code(201).send(fromProtoCreatedApiKey(rotated));
      },
    );
  };
}

/** Changes only the given fields. */
export function toKeyChange(keyId: string, { name, scopes, expiresAt }: Static<typeof UpdateApiKeyBody>) {
  return {
    keyId,
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes: { scopes } }),
    ...(expiresAt === undefined ? {} : { expiry: toExpiry(expiresAt) }),
  };
}

function toExpiry(expiresAt: string | null) {
  return expiresAt === null
    ? ({ case: 'removeExpiry', value: true } as const)
    : ({ case: 'expiresAt', value: toExpiryTime(expiresAt) } as const);
}

export function toExpiryTime(expiresAt: string): Timestamp {
  const time = fromIsoTime(expiresAt);
  if (time !== undefined) return time;
  throw invalidParams([{ field: 'expiresAt', message: 'must be a time without leap second or zone name' }]);
}
