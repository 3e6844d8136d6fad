/**
 * Liveness, readiness, and whether the process accepts requests. The gateway is ready while the limiter and
 * auth work, which every API request needs. The object store is reported and does not affect readiness.
 *
 * Readiness is for systems that start gateways. Balancers use `/accepting` instead: all gateways share the
 * dependencies, and if all left the balancer in an outage, callers would get refused connections instead of a
 * 503 with Retry-After, and downloads would fail too (docs/degradation.md).
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Acceptance, Alive, Readiness } from '../../schemas/health.ts';
import { ref } from '../../schemas/ref.ts';
import type { CheckDependencies } from './dependencies.ts';

export interface HealthOptions {
  readonly checkDependencies: CheckDependencies;
  readonly isDraining: () => boolean;
}

/** Probes run every few seconds and belong to no caller. */
export const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/accepting', '/readyz']);

const PROBE = { config: { bounds: ['probe'] } } as const;

export function healthRoutes({ checkDependencies, isDraining }: HealthOptions): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/healthz',
      {
        ...PROBE,
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
      '/accepting',
      {
        ...PROBE,
        schema: {
          operationId: 'getAcceptance',
          tags: ['Health'],
          summary: 'Whether this process accepts requests',
          description: 'For load balancers: 503 once the process has begun to stop, otherwise 200.',
          response: { 200: ref(Acceptance), 503: ref(Acceptance) },
        },
      },
      async (_request, reply) =>
        isDraining()
          ? reply.code(503).send({ status: 'draining' as const })
          : reply.send({ status: 'accepting' as const }),
    );

    app.get(
      '/readyz',
      {
        ...PROBE,
        schema: {
          operationId: 'getReadiness',
          tags: ['Health'],
          summary: 'Whether the process can serve',
          description:
            'For the system that starts it. Lists each dependency; 503 while the limiter or auth is failing or the ' +
            'process is stopping.',
          response: { 200: ref(Readiness), 503: ref(Readiness) },
        },
      },
      async (_request, reply) => {
        const dependencies = await checkDependencies();
        if (isDraining()) return reply.code(503).send({ status: 'draining', dependencies });
        const isReady = dependencies.limiter === 'ok' && dependencies.auth === 'ok';
        return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'failing', dependencies });
      },
    );
  };
}
