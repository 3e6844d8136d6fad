/** A service under test on a socket, and a client of another make (grpc-js, from the .proto files) in front of it. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import grpc from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';
import type { RunningService } from '../process/service.ts';
import { IDENTITY_HEADER } from '../rpc/identity.ts';
import { type RpcOptions, startRpcServer } from '../rpc/server.ts';

const PROTO_DIR = fileURLToPath(new URL('../../../../proto', import.meta.url));

export type GrpcServer = Awaited<ReturnType<typeof startGrpcServer>>;

export async function startGrpcServer(service: RunningService, options: Omit<RpcOptions, 'routes'>) {
  await using starting = new AsyncDisposableStack();
  const { port } = starting.use(
    await startRpcServer({
      ...options,
      host: '127.0.0.1',
      port: 0,
      routes(router) {
        service.routes(router);
        service.health.routes(router);
      },
    }),
  );
  const running = starting.move();
  return {
    /**
     * Calls methods of a service of a .proto file by name, with and giving plain objects: enums and 64-bit
     * integers as strings, unset fields with their defaults. `identity` is a token of signIdentity.
     */
    async connect(protoFile: string, serviceName: string) {
      const definition = await load(protoFile, {
        includeDirs: [PROTO_DIR],
        longs: String,
        enums: String,
        defaults: true,
      });
      const Client = grpc.makeClientConstructor(
        definition[serviceName] as grpc.ServiceDefinition,
        serviceName,
      );
      const client = running.adopt(
        new Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure()),
        async (client) => client.close(),
      );
      return async (method: string, request: object, identity?: string) => {
        const metadata = new grpc.Metadata();
        if (identity !== undefined) metadata.set(IDENTITY_HEADER, identity);
        const call = client[method];
        assert(call, `${serviceName} has no method ${method}`);
        return promisify(call.bind(client))(request, metadata);
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
