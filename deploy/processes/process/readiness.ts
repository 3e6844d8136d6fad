/** Checks that resolve while a process can serve. */
import { createSigningCaller, remoteAddress } from '@audiosplit/chassis/rpc/client';
import { READINESS } from '@audiosplit/chassis/rpc/health';
import { Health, HealthCheckResponse_ServingStatus as Status } from '@audiosplit/proto/grpc/health/v1/health';

const TIMEOUT_MS = 3_000;

export function httpReadiness(url: string): () => Promise<void> {
  return async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`);
  };
}

export function rpcReadiness(url: string): () => Promise<void> {
  // Health is open to callers without an identity.
  const health = createSigningCaller((next) => next).client(Health, remoteAddress(url));
  return async () => {
    const { status } = await health.check({ service: READINESS }, { timeoutMs: TIMEOUT_MS });
    if (status !== Status.SERVING) throw new Error('is not ready');
  };
}
