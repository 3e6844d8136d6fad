/** A client of another make over a real socket: what the account service serves is gRPC, not only something that Connect understands. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { silentLogger } from '@audiosplit/chassis/log';
import { IDENTITY_HEADER, signIdentity } from '@audiosplit/chassis/rpc/identity';
import { type RpcServer, startRpcServer } from '@audiosplit/chassis/rpc/server';
import grpc from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';
import { type AccountFixture, INTERNAL_SECRET, startAccountFixture, until } from './account.fixture.ts';

const SERVICE = 'audiosplit.account.v1.AccountService';
const PROTO_DIR = fileURLToPath(new URL('../../../proto/', import.meta.url));

describe('the account service over gRPC', () => {
  let fixture: AccountFixture;
  let server: RpcServer;
  const clients: grpc.Client[] = [];

  before(async () => {
    fixture = await startAccountFixture();
    server = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      routes(router) {
        fixture.service.routes(router);
        fixture.service.health.routes(router);
      },
      internalSecret: INTERNAL_SECRET,
      log: silentLogger(),
      clock: () => fixture.now(),
    });
  });
  after(async () => {
    for (const client of clients) client.close();
    await server[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  /** Calls methods of a service by name, as plain objects. */
  const connect = async (file: string, service: string) => {
    const definition = await load(file, { includeDirs: [PROTO_DIR], keepCase: false });
    const path = service.split('.');
    let found: unknown = grpc.loadPackageDefinition(definition);
    for (const part of path) found = (found as Record<string, unknown>)[part];
    const client = new (found as grpc.ServiceClientConstructor)(
      `127.0.0.1:${server.port}`,
      grpc.credentials.createInsecure(),
    );
    clients.push(client);
    return async (method: string, request: object, identity?: string) => {
      const metadata = new grpc.Metadata();
      if (identity !== undefined) metadata.set(IDENTITY_HEADER, identity);
      const call = client[method];
      assert(call);
      return promisify(call.bind(client))(request, metadata);
    };
  };
  const asAccount = (accountId: string) =>
    signIdentity(INTERNAL_SECRET, { kind: 'account', accountId, scopes: [] }, fixture.now());

  it('answers a call', async () => {
    await fixture.tell('acc_1', { case: 'accountRegistered', value: { email: 'ada@example.com', name: '' } });
    const accounts = await connect('audiosplit/account/v1/account.proto', SERVICE);
    const found = async () => {
      const answer = await accounts('getAccount', {}, asAccount('acc_1')).catch((error: unknown) => {
        assert.equal((error as grpc.ServiceError).code, grpc.status.NOT_FOUND);
        return undefined;
      });
      return answer?.account.email === 'ada@example.com';
    };
    await until(found);
  });

  it('UNAUTHENTICATED: a call without identity', async () => {
    const accounts = await connect('audiosplit/account/v1/account.proto', SERVICE);
    await assert.rejects(accounts('getAccount', {}), { code: grpc.status.UNAUTHENTICATED });
  });

  it('UNIMPLEMENTED: what is to come', async () => {
    const accounts = await connect('audiosplit/account/v1/account.proto', SERVICE);
    await assert.rejects(accounts('listExports', {}, asAccount('acc_1')), {
      code: grpc.status.UNIMPLEMENTED,
    });
  });

  it('answers the standard health check, and says when it drains', async () => {
    const health = await connect('grpc/health/v1/health.proto', 'grpc.health.v1.Health');
    const statusOf = async (service: string) => (await health('check', { service })).status;
    const SERVING = 1;
    const NOT_SERVING = 2;
    assert.equal(await statusOf(''), SERVING);
    assert.equal(await statusOf('readiness'), SERVING);
    assert.equal(await statusOf(SERVICE), SERVING);
    await assert.rejects(statusOf('no.such.Service'), { code: grpc.status.NOT_FOUND });
    fixture.service.health.drain();
    assert.equal(await statusOf('readiness'), NOT_SERVING);
    assert.equal(await statusOf(''), SERVING, 'alive');
  });
});
