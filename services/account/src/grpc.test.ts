/**
 * Calls the account service with another gRPC client over a real socket, because Connect alone would not prove gRPC.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { assertStandardHealth } from '@audiosplit/chassis/testing/grpc-health';
import { startGrpcServer } from '@audiosplit/chassis/testing/grpc-server';
import { until } from '@audiosplit/chassis/testing/until';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { type ServiceError, status } from '@grpc/grpc-js';
import { startAccountFixture } from './account.fixture.ts';

describe('the account service over gRPC', () => {
  const fixture = forSuite(startAccountFixture);
  const server = forSuite(() => startGrpcServer(fixture.service, fixture.context));

  const connect = () => server.connect('audiosplit/account/v1/account.proto', AccountService);
  const asAccount = (accountId: string) => ({ process: 'gateway', accountId }) as const;

  it('answers a call', async () => {
    await fixture.tell('acc_1', { case: 'accountRegistered', value: { email: 'ada@example.com', name: '' } });
    const accounts = await connect();
    const found = async () => {
      const answer = await accounts('getAccount', {}, asAccount('acc_1')).catch((error: unknown) => {
        assert.equal((error as ServiceError).code, status.NOT_FOUND);
        return undefined;
      });
      return answer?.account.email === 'ada@example.com';
    };
    await until(found);
  });

  it('UNAUTHENTICATED: a call without identity', async () => {
    const accounts = await connect();
    await assert.rejects(accounts('getAccount', {}), { code: status.UNAUTHENTICATED });
  });

  it('answers the standard health check, and reports when it drains', () =>
    assertStandardHealth(server, fixture.service, [AccountService.typeName]));
});
