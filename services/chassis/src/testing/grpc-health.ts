import assert from 'node:assert/strict';
import { Health } from '@audiosplit/proto/grpc/health/v1/health';
import { status } from '@grpc/grpc-js';
import type { RunningService } from '../process/service.ts';
import type { GrpcServer } from './grpc-server.ts';

/**
 * Asserts that a service answers grpc.health.v1 without an identity: for the process (`''`), for its
 * readiness, and for each of `serviceNames`. Drains the service, so it comes last in a suite.
 */
export async function assertStandardHealth(
  server: GrpcServer,
  service: RunningService,
  serviceNames: readonly string[],
): Promise<void> {
  const health = await server.connect('grpc/health/v1/health.proto', Health);
  const statusOf = async (name: string) => (await health('check', { service: name })).status;
  for (const name of ['', 'readiness', ...serviceNames]) {
    assert.equal(await statusOf(name), 'SERVING', name);
  }
  await assert.rejects(statusOf('no.such.Service'), { code: status.NOT_FOUND });
  service.health.drain();
  assert.equal(await statusOf('readiness'), 'NOT_SERVING');
  assert.equal(await statusOf(''), 'SERVING', 'alive');
}
