/** Calls webhooks with another gRPC client over a real socket, because Connect alone would not prove gRPC. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { startGrpcServer } from '@audiosplit/chassis/testing/grpc-server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import grpc from '@grpc/grpc-js';
import { startWebhooksFixture } from './webhooks.fixture.ts';

const ACCOUNT = 'acc_grpc';

describe('webhooks over gRPC', () => {
  const fixture = forSuite(startWebhooksFixture);
  const server = forSuite(() => {
    const { service, clock } = fixture;
    return startGrpcServer(service, { keys: testKeysOf('webhooks'), log: silentLogger(), clock });
  });

  const call = async (method: string, request: object, accountId?: string) => {
    const webhooks = await server.connect('audiosplit/webhooks/v1/webhooks.proto', WebhooksService);
    return webhooks(method, request, accountId === undefined ? undefined : { process: 'gateway', accountId });
  };

  test('secrets and deliveries can be read', async () => {
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

  test('rejections have a gRPC status and details', async () => {
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
