import { bucketActions } from '@audiosplit/proto/enum-words';
import type { BucketCheck } from '@audiosplit/proto/jobs/v1/bucket';
import type { Connection as ProtoConnection } from '@audiosplit/proto/jobs/v1/connections';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Principal } from '../credentials/principal.ts';
import { invalidParams } from '../http/input/validation.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present, toIsoTime } from '../mapping/messages.ts';
import {
  Connection,
  ConnectionList,
  ConnectionParams,
  ConnectionTest,
  CreateConnectionBody,
} from '../schemas/connections.ts';
import { CLOSED } from '../schemas/fields.ts';
import { ref } from '../schemas/ref.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { checkUrl } from './split-request.ts';

const tags = ['Connections'];
const MANAGER: Access = { kind: 'accountOrApiKey', scope: 'connections:manage' };

/** A check of the bucket takes up to 10 s, one of an address 3 s; the rest is the services' own work. */
const CREATE_TIMEOUT_MS = 8_000;
const TEST_TIMEOUT_MS = 18_000;

type Dependencies = Pick<RouteDependencies, 'services'>;

export function connectionRoutes(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/connections',
      endpoint({
        access: MANAGER,
        errors: ['CONNECTION_LIMIT_REACHED', 'CONNECTION_NAME_TAKEN'],
        schema: {
          operationId: 'createConnection',
          tags,
          summary: 'Connect a bucket',
          description:
            'Only the address of the endpoint is checked, which must be one that is allowed for sources.',
          body: CreateConnectionBody,
          response: { 201: ref(Connection) },
        },
      }),
      async (request, reply) =>
        reply.code(201).send(await createConnection(dependencies, principalOf(request), request.body)),
    );

    app.get(
      '/connections',
      endpoint({
        access: MANAGER,
        schema: {
          operationId: 'listConnections',
          tags,
          summary: 'List connections',
          response: { 200: ref(ConnectionList) },
        },
      }),
      (request) => listConnections(dependencies, principalOf(request)),
    );

    app.delete(
      '/connections/:connectionId',
      endpoint({
        access: MANAGER,
        errors: ['NOT_FOUND', 'CONNECTION_IN_USE'],
        schema: {
          operationId: 'deleteConnection',
          tags,
          summary: 'Delete a connection',
          description: 'The objects in the bucket stay. Refused while an unfinished job uses the connection.',
          params: ConnectionParams,
          response: { 204: Type.Null({ description: 'Deleted.' }) },
        },
      }),
      async (request, reply) => {
        await deleteConnection(dependencies, principalOf(request), request.params.connectionId);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/connections/:connectionId/test',
      endpoint({
        access: MANAGER,
        errors: ['NOT_FOUND', 'CONNECTION_SECRET_LOST'],
        schema: {
          operationId: 'testConnection',
          tags,
          summary: 'Try a connection',
          description:
            'Lists objects, writes a small one, reads it and deletes it, in 10 s at most. If nothing can be written, another ' +
            'object is read, if there is one.',
          params: ConnectionParams,
          body: Type.Object({}, CLOSED),
          response: { 200: ref(ConnectionTest) },
        },
      }),
      (request) => testConnection(dependencies, principalOf(request), request.params.connectionId),
    );
  };
}

/** Throws 400 INVALID_PARAMS, 409 CONNECTION_LIMIT_REACHED, 409 CONNECTION_NAME_TAKEN. */
export async function createConnection(
  { services: { connections, actingFor } }: Dependencies,
  principal: Principal,
  { name, type: _, ...bucket }: CreateConnectionBody,
): Promise<Connection> {
  const violations = bucket.endpoint === undefined ? [] : checkUrl('endpoint', bucket.endpoint);
  if (violations.length > 0) throw invalidParams(violations);
  const as = { ...actingFor(principal), timeoutMs: CREATE_TIMEOUT_MS };
  const { connection } = await connections.createConnection({ name, bucket }, as);
  return fromProtoConnection(present(connection, 'a connection'));
}

export async function listConnections(
  { services: { connections, actingFor } }: Dependencies,
  principal: Principal,
): Promise<{ readonly data: Connection[] }> {
  const answer = await connections.listConnections({}, actingFor(principal));
  return { data: answer.connections.map(fromProtoConnection) };
}

/** Throws 404 NOT_FOUND. */
export async function deleteConnection(
  { services: { connections, actingFor } }: Dependencies,
  principal: Principal,
  connectionId: string,
): Promise<void> {
  await connections.deleteConnection({ connectionId }, actingFor(principal));
}

/** Throws 404 NOT_FOUND, 409 CONNECTION_SECRET_LOST. */
export async function testConnection(
  { services: { connections, actingFor } }: Dependencies,
  principal: Principal,
  connectionId: string,
): Promise<ConnectionTest> {
  const as = { ...actingFor(principal), timeoutMs: TEST_TIMEOUT_MS };
  const { checks } = await connections.testConnection({ connectionId }, as);
  return { ok: checks.every(({ fault }) => fault === undefined), checks: checks.map(fromProtoCheck) };
}

function fromProtoCheck({ action, fault }: BucketCheck): ConnectionTest['checks'][number] {
  return {
    action: present(bucketActions.toWord(action), "a check's action"),
    ok: fault === undefined,
    ...(fault === undefined ? {} : { message: fault }),
  };
}

function fromProtoConnection(connection: ProtoConnection): Connection {
  const { id, name, endpoint, region, bucket, prefix, accessKeyId, createdAt } = connection;
  return {
    id,
    name,
    type: 's3',
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    bucket,
    ...(prefix === '' ? {} : { prefix }),
    accessKeyId,
    createdAt: toIsoTime(createdAt),
  };
}
