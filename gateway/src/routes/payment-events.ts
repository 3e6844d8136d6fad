import type { FastifyPluginAsync } from 'fastify';
import type { Services } from '../services.ts';

/** Stripe gives an endpoint some ten seconds before it counts the try as failed. */
const TIMEOUT_MS = 10_000;

/**
 * Where the payment provider tells what happens there. Not part of the API: nobody else has the secret that signs it.
 * The body goes on as it came, since its bytes are what is signed; whether the signature is good, and whether there is
 * a provider that signs at all, is for billing to say.
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
