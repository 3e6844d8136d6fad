/**
 * Liveness, readiness, and whether more requests are wanted here. The gateway is ready while it can count and tell callers
 * apart, which is what every request to the API needs. What stands behind single routes answers for itself: the object store
 * is named here, and no more.
 *
 * Readiness is for whoever starts a gateway. A balancer asks whether it accepts requests: all gateways share what readiness
 * holds, and taken out together they would answer an outage of it with closed ports instead of a 503 that says when to come
 * back, and links to files, which need none of it, would be gone as well (docs/degradation.md).
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Acceptance, Alive, Readiness } from '../../schemas/health.ts';
import { ref } from '../../schemas/ref.ts';
import type { CheckDependencies } from './dependencies.ts';

export interface HealthOptions {
  readonly checkDependencies: CheckDependencies;
  readonly isDraining: () => boolean;
}

/** Whoever runs the gateway asks these every few seconds, for no caller. */
export const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/accepting', '/readyz']);

export function healthRoutes({ checkDependencies, isDraining }: HealthOptions): FastifyPluginAsyncTypebox {
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
      '/accepting',
      {
        schema: {
          operationId: 'getAcceptance',
          tags: ['Health'],
          summary: 'Whether requests are to be sent to this process',
          description:
            'For balancers: 503 from the moment on in which the process is told to stop, else 200.',
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
        schema: {
          operationId: 'getReadiness',
          tags: ['Health'],
          summary: 'Whether the process can serve',
          description:
            'For whoever starts it. Names each thing it depends on; 503 while the limiter or auth is failing or the ' +
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
