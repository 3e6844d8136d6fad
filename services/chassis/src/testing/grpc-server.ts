/** A service under test on a socket, and a client of another make (grpc-js, from the .proto files) in front of it. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Process } from '@audiosplit/proto/callers';
import type { DescService } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';
import type { IdentityKeys } from '../identity/keys.ts';
import { createSigner } from '../identity/tokens.ts';
import type { RunningService } from '../process/service.ts';
import { type RpcOptions, startRpcServer } from '../rpc/server.ts';
import { testKeysOf } from './identities.ts';

/** A process, and the account for which it acts. */
export interface TestIdentity {
  readonly process: Process;
  readonly accountId?: string;
  /** Other than the installation's. */
  readonly keys?: IdentityKeys;
}

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
     * integers as strings, unset fields with their defaults. Calls without an identity carry no token.
     */
    async connect(protoFile: string, service: DescService) {
      const serviceName = service.typeName;
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
      return async (method: string, request: object, identity?: TestIdentity) => {
        const descriptor = service.methods.find(({ localName }) => localName === method);
        const call = client[method];
        assert(call && descriptor, `${serviceName} has no method ${method}`);
        const metadata = new grpc.Metadata();
        if (identity !== undefined) {
          const { process, accountId, keys = testKeysOf(process) } = identity;
          const account = accountId === undefined ? undefined : { accountId, scopes: [] };
          const token = await createSigner(keys, options.clock)(descriptor, account);
          metadata.set('authorization', `Bearer ${token}`);
        }
        return promisify(call.bind(client))(request, metadata);
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
