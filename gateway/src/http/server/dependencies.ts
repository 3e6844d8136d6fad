/**
 * Checks the gateway's dependencies on demand, for /readyz and the metrics. Every API request needs the limiter and
 * auth; only some routes need the store.
 */

import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Logger } from '@audiosplit/chassis/process/log';
import { DEPENDENCIES as OF_SERVICE } from '@audiosplit/chassis/rpc/health';
import { reasonOf } from '@audiosplit/chassis/secrets/certificate-faults';
import { HealthCheckResponse_ServingStatus as Status } from '@audiosplit/proto/grpc/health/v1/health';
import { expose } from '../../metrics.ts';
import type { RateLimiter } from '../../rate-limit/rate-limiter.ts';
import type { Services } from '../../services.ts';

const CHECK_TIMEOUT_MS = 2_000;

type Dependency = 'limiter' | 'store' | 'auth';
type DependencyStatus = 'ok' | 'failing';
type DependencyStatuses = Readonly<Record<Dependency, DependencyStatus>>;

/** Resolves within 2 s. Failures are logged, and it never rejects. */
export type CheckDependencies = () => Promise<DependencyStatuses>;

interface DependencyOptions {
  readonly limiter: RateLimiter;
  readonly store: ObjectStore;
  readonly authHealth: Services['authHealth'];
  readonly log: Logger;
}

export function createDependencyCheck({
  limiter,
  store,
  authHealth,
  log,
}: DependencyOptions): CheckDependencies {
  const checkAuth = async () => {
    const { status } = await authHealth.check({ service: OF_SERVICE }, { timeoutMs: CHECK_TIMEOUT_MS });
    if (status !== Status.SERVING) throw new Error('the auth service is not ready');
  };
  const statusOf = async (dependency: Dependency, check: () => Promise<void>): Promise<DependencyStatus> => {
    try {
      await withTimeout(check());
      return 'ok';
    } catch (error) {
      log.warn({ dependency }, `not ready: ${reasonOf(error)}`);
      return 'failing';
    }
  };
  const check = async () => {
    const [ofLimiter, ofStore, ofAuth] = await Promise.all([
      statusOf('limiter', () => limiter.check()),
      statusOf('store', () => store.check()),
      statusOf('auth', checkAuth),
    ]);
    return { limiter: ofLimiter, store: ofStore, auth: ofAuth };
  };
  // One check at a time: concurrent probes share it.
  let running: Promise<DependencyStatuses> | undefined;
  return () => {
    running ??= check().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Exposes the metrics until disposed. */
export function exposeDependencies(check: CheckDependencies): Disposable {
  return expose('audiosplit_gateway_dependency_failing', async () => {
    const statuses = Object.entries(await check()) as [Dependency, DependencyStatus][];
    return statuses.map(([dependency, status]) => ({
      labels: { dependency },
      value: status === 'failing' ? 1 : 0,
    }));
  });
}

async function withTimeout(check: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const late = () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`));
    timer = setTimeout(late, CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
