/** A client of another make over a real socket: what webhooks serves is gRPC. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { IDENTITY_HEADER, signIdentity } from '@audiosplit/chassis/rpc/identity';
import { type RpcServer, startRpcServer } from '@audiosplit/chassis/rpc/server';
import grpc from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';
import { INTERNAL_SECRET, startWebhooksFixture, type WebhooksFixture } from './webhooks.fixture.ts';

const PROTO_DIR = fileURLToPath(new URL('../../../proto', import.meta.url));
const ACCOUNT = 'acc_grpc';

describe('webhooks over gRPC', () => {
  let fixture: WebhooksFixture;
  let server: RpcServer;
  let client: InstanceType<grpc.ServiceClientConstructor>;

  before(async () => {
    fixture = await startWebhooksFixture();
    server = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      routes: fixture.service.routes,
      internalSecret: INTERNAL_SECRET,
      log: silentLogger(),
      clock: fixture.clock,
    });
    const definition = await load('audiosplit/webhooks/v1/webhooks.proto', { includeDirs: [PROTO_DIR] });
    const Service = grpc.makeClientConstructor(
      definition['audiosplit.webhooks.v1.WebhooksService'] as grpc.ServiceDefinition,
      'WebhooksService',
    );
    client = new Service(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure());
  });
  after(async () => {
    client.close();
    await server[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const call = (method: string, request: object, accountId?: string) => {
    const metadata = new grpc.Metadata();
    if (accountId !== undefined) {
      const identity = { kind: 'account', accountId, scopes: [] } as const;
      metadata.set(IDENTITY_HEADER, signIdentity(INTERNAL_SECRET, identity, fixture.clock()));
    }
    const stub = client[method];
    assert.ok(stub);
    return promisify(stub.bind(client))(request, metadata);
  };

  test('secrets and deliveries', async () => {
    const target = fixture.receiver.target();
    await fixture.change(ACCOUNT, target.url);
    const { id } = await fixture.delivery(ACCOUNT, { status: 'delivered' });
    const { secret } = await call('getSecret', {}, ACCOUNT);
    assert.match(secret, /^whsec_/);
    const list = await call('listDeliveries', { page: 1, limit: 20 }, ACCOUNT);
    assert.equal(list.total.toString(), '1');
    assert.deepEqual(
      list.deliveries.map((delivery: { id: string; status: string; attempts: { statusCode: number }[] }) => [
        delivery.id,
        delivery.status,
        delivery.attempts[0]?.statusCode,
      ]),
      [[id, 'delivered', 204]],
    );
    const replay = await call('replayDelivery', { deliveryId: id }, ACCOUNT);
    assert.equal(replay.delivery.status, 'pending');
    await fixture.delivery(ACCOUNT, { status: 'delivered', attempts: 2 });
  });

  test('refusals carry a gRPC status and details', async () => {
    for (const [method, request, code] of [
      ['checkTarget', { url: 'http://1.1.1.1/' }, grpc.status.INVALID_ARGUMENT],
      ['listDeliveries', { page: 0, limit: 20 }, grpc.status.INVALID_ARGUMENT],
      ['replayDelivery', { deliveryId: 'dlv_none' }, grpc.status.NOT_FOUND],
    ] as const) {
      await assert.rejects(call(method, request, ACCOUNT), (error) => {
        assert.ok(error instanceof Error && 'code' in error && 'metadata' in error);
        assert.equal(error.code, code, method);
        assert.ok(error.metadata instanceof grpc.Metadata);
        assert.equal(error.metadata.get('grpc-status-details-bin').length, 1);
        return true;
      });
    }
  });

  test('UNAUTHENTICATED: a call without identity', async () => {
    await assert.rejects(call('getSecret', {}), { code: grpc.status.UNAUTHENTICATED });
  });
});
