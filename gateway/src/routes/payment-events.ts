import type { FastifyPluginAsync } from 'fastify';
import type { Services } from '../services.ts';

/** Stripe waits some ten seconds before an attempt counts as failed. */
const TIMEOUT_MS = 10_000;

/**
 * The webhook of the payment provider. It is not part of the API. The body is passed on unchanged, because its bytes
 * are signed; billing verifies the signature.
 */
export function paymentEventRoutes({ billing }: Pick<Services, 'billing'>): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    app.post('/webhooks/stripe', { schema: { hide: true } }, async (request, reply) => {
      const payload = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
      const signature = request.headers['stripe-signature'];
      await billing.receiveProviderEvent(
        { payload, signature: typeof signature === 'string' ? signature : '' },
        { timeoutMs: TIMEOUT_MS },
      );
      return reply.code(204).send();
    });
  };
}
