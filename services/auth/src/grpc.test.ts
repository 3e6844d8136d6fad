/** Calls auth with another gRPC client over a real socket, because Connect alone would not prove gRPC. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { assertStandardHealth } from '@audiosplit/chassis/testing/grpc-health';
import { startGrpcServer } from '@audiosplit/chassis/testing/grpc-server';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { Metadata, status } from '@grpc/grpc-js';
import { PASSWORD, startAuthFixture } from './auth.fixture.ts';

describe('auth over gRPC', () => {
  const fixture = forSuite(startAuthFixture);
  const server = forSuite(() => startGrpcServer(fixture.service, fixture.context));

  const connect = () => server.connect('audiosplit/auth/v1/auth.proto', AuthService);
  const asGateway = () => ({ process: 'gateway' }) as const;

  it('answers a call', async () => {
    const auth = await connect();
    const request = { email: 'ada@example.com', password: PASSWORD, name: 'Ada' };
    const { session } = await auth('register', request, asGateway());
    assert.equal(session.account.email, 'ada@example.com');
    assert.equal(session.expiresInSeconds, 3_600);
  });

  it('rejects with a gRPC status and details', async () => {
    const auth = await connect();
    await assert.rejects(auth('refreshSession', { refreshToken: 'unknown' }, asGateway()), (error) => {
      assert(error instanceof Error && 'code' in error && 'metadata' in error);
      assert.equal(error.code, status.UNAUTHENTICATED);
      assert(error.metadata instanceof Metadata);
      assert.equal(error.metadata.get('grpc-status-details-bin').length, 1);
      return true;
    });
  });

  it('UNAUTHENTICATED: a call without identity', async () => {
    const auth = await connect();
    await assert.rejects(auth('getJwks', {}), { code: status.UNAUTHENTICATED });
  });

  it('answers the standard health check, and reports when it drains', () =>
    assertStandardHealth(server, fixture.service, [AuthService.typeName]));
});
