/**
 * Asks the service beside it whether it is ready and ends with 0 or 1: what a container's health check runs where
 * nothing speaks gRPC's health protocol from outside. RPC_PORT and INTERNAL_SECRET as the service has them.
 */
import { Health, HealthCheckResponse_ServingStatus as Status } from '@audiosplit/proto/grpc/health/v1/health';
import { systemClock } from './clock.ts';
import { messageOf } from './errors.ts';
import { createCaller, remoteAddress } from './rpc/client.ts';
import { READINESS } from './rpc/health.ts';
import { readProcessConfig } from './service-process.ts';

const TIMEOUT_MS = 4_000;

try {
  const { rpcPort, internalSecret } = readProcessConfig(process.env, false);
  const caller = createCaller({ service: 'healthcheck', internalSecret, clock: systemClock });
  const health = caller.client(Health, remoteAddress(`http://127.0.0.1:${rpcPort}`));
  const { status } = await health.check({ service: READINESS }, { timeoutMs: TIMEOUT_MS });
  end(status === Status.SERVING ? undefined : 'not ready');
} catch (error) {
  end(messageOf(error));
}

/** At once: a connection that is kept alive would hold the process. */
function end(problem: string | undefined): never {
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  process.exit(problem === undefined ? 0 : 1);
}
