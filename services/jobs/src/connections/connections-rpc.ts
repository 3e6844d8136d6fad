/** ConnectionsService: calls of the gateway on behalf of an account. */

import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { ConnectionSchema, type ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { listConnections } from '../store/connections.ts';
import type { Connection } from './connection.ts';
import {
  type ConnectionDependencies,
  createConnection,
  removeConnection,
  testConnection,
} from './connections.ts';

export function createConnectionsRpc(
  dependencies: ConnectionDependencies,
): ServiceImpl<typeof ConnectionsService> {
  return {
    async createConnection({ name, bucket }, context) {
      if (bucket === undefined) throw new InvalidParamsError('bucket', 'is required');
      const { accountId } = requireAccount(context);
      return { connection: toProtoConnection(await createConnection(dependencies, accountId, name, bucket)) };
    },

    async listConnections(_request, context) {
      const connections = await listConnections(dependencies.pool, requireAccount(context).accountId);
      return { connections: connections.map(toProtoConnection) };
    },

    async deleteConnection({ connectionId }, context) {
      await removeConnection(dependencies, requireAccount(context).accountId, connectionId);
      return {};
    },

    async testConnection({ connectionId }, context) {
      return {
        checks: [...(await testConnection(dependencies, requireAccount(context).accountId, connectionId))],
      };
    },
  };
}

function toProtoConnection({
  id,
  name,
  endpoint,
  region,
  bucket,
  prefix,
  accessKeyId,
  createdAt,
}: Connection) {
  return create(ConnectionSchema, {
    id,
    name,
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    bucket,
    prefix,
    accessKeyId,
    createdAt: timestampFromDate(createdAt),
  });
}
