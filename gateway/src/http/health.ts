/**
 * Liveness and readiness. The gateway is ready while it can count and tell callers apart, which is what every request to
 * the API needs. What stands behind single routes answers for itself: the object store is named here, but an outage of
 * it that took all gateways out of rotation would be one of everything.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Logger } from '@audiosplit/chassis/log';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { DEPENDENCIES } from '@audiosplit/chassis/rpc/health';
import { HealthCheckResponse_ServingStatus as Status } from '@audiosplit/proto/grpc/health/v1/health';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import { Alive, Readiness } from '../schemas/health.ts';
import { ref } from '../schemas/ref.ts';
import type { Services } from '../services.ts';

const CHECK_TIMEOUT_MS = 2_000;

export interface HealthOptions {
  readonly limiter: RateLimiter;
  readonly store: ObjectStore;
  readonly authHealth: Services['authHealth'];
  readonly isDraining: () => boolean;
  readonly log: Logger;
}

export function healthRoutes(options: HealthOptions): FastifyPluginAsyncTypebox {
  const { limiter, store, authHealth, isDraining, log } = options;
  const checkAuth = async () => {
    const { status } = await authHealth.check({ service: DEPENDENCIES }, { timeoutMs: CHECK_TIMEOUT_MS });
    if (status !== Status.SERVING) throw new Error('the auth service is not ready');
  };
  const statusOf = async (dependency: string, check: () => Promise<void>) => {
    try {
      await withTimeout(check());
      return 'ok' as const;
    } catch (error) {
      log.warn({ dependency }, `not ready: ${messageOf(error)}`);
      return 'failing' as const;
    }
  };

  return async (app) => {
    app.get(
      '/healthz',
      {
        schema: {
          operationId: 'getLiveness',
          tags: ['Health'],
          summary: 'Whether the process is alive',
          response: { 200: ref(Alive) },
        },
      },
      async () => ({ status: 'ok' as const }),
    );

    app.get(
      '/readyz',
      {
        schema: {
          operationId: 'getReadiness',
          tags: ['Health'],
          summary: 'Whether the process can serve',
          description:
            'Names each thing it depends on; 503 while the limiter or auth is failing or the process is stopping.',
          response: { 200: ref(Readiness), 503: ref(Readiness) },
        },
      },
      async (_request, reply) => {
        const [limiterStatus, storeStatus, authStatus] = await Promise.all([
          statusOf('limiter', () => limiter.check()),
          statusOf('store', () => store.check()),
          statusOf('auth', checkAuth),
        ]);
        const dependencies = { limiter: limiterStatus, store: storeStatus, auth: authStatus };
        if (isDraining()) return reply.code(503).send({ status: 'draining', dependencies });
        const isReady = limiterStatus === 'ok' && authStatus === 'ok';
        return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'failing', dependencies });
      },
    );
  };
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
