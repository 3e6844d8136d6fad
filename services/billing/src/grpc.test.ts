/** A client of another make over a real socket: what billing serves is gRPC, not only something that Connect understands. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { silentLogger } from '@audiosplit/chassis/log';
import { IDENTITY_HEADER, signIdentity } from '@audiosplit/chassis/rpc/identity';
import { type RpcServer, startRpcServer } from '@audiosplit/chassis/rpc/server';
import grpc from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';
import { type BillingFixture, INTERNAL_SECRET, startBillingFixture } from './billing.fixture.ts';

const SERVICE = 'audiosplit.billing.v1.BillingService';
const PROTO_DIR = fileURLToPath(new URL('../../../proto/', import.meta.url));

describe('billing over gRPC', () => {
  let fixture: BillingFixture;
  let server: RpcServer;
  const clients: grpc.Client[] = [];

  before(async () => {
    fixture = await startBillingFixture();
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
  const asGateway = () =>
    signIdentity(INTERNAL_SECRET, { kind: 'service', service: 'gateway' }, fixture.now());

  it('answers a call', async () => {
    const billing = await connect('audiosplit/billing/v1/billing.proto', SERVICE);
    const { limits } = await billing('getLimits', { accountId: 'acc_1' }, asGateway());
    assert.equal(limits.planId, 'plan_free');
    assert.equal(limits.monthlyMinutes, 60);
  });

  it('UNAUTHENTICATED: a call without identity', async () => {
    const billing = await connect('audiosplit/billing/v1/billing.proto', SERVICE);
    await assert.rejects(billing('listPlans', {}), { code: grpc.status.UNAUTHENTICATED });
  });

  it('UNIMPLEMENTED: what is to come', async () => {
    const billing = await connect('audiosplit/billing/v1/billing.proto', SERVICE);
    await assert.rejects(billing('listInvoices', {}, asGateway()), { code: grpc.status.UNIMPLEMENTED });
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
