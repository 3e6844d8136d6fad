import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { FastifyPluginAsync } from 'fastify';
import type { AddressWindow } from '../http/admission/address-window.ts';
import type { Services } from '../services.ts';

/** Stripe waits some ten seconds before an attempt counts as failed. */
const TIMEOUT_MS = 10_000;

/**
 * The webhook of the payment provider. It is not part of the API. The body is passed on unchanged, because
 * its bytes are signed; billing verifies the signature. An invalid signature counts against the address, like
 * any refused credential.
 */
export function paymentEventRoutes(
  { billing }: Pick<Services, 'billing'>,
  addressWindow: AddressWindow,
): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    const options = { config: { bounds: ['address'] as const }, schema: { hide: true } };
    app.post('/webhooks/stripe', options, async (request, reply) => {
      const payload = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
      const signature = request.headers['stripe-signature'];
      using _place = await addressWindow.placeToAsk('billing', request.ip);
      try {
        await billing.receiveProviderEvent(
          { payload, signature: typeof signature === 'string' ? signature : '' },
          { timeoutMs: TIMEOUT_MS },
        );
      } catch (error) {
        if (!hasReason(error, Reason.INVALID_PARAMS) && !hasReason(error, Reason.NOT_FOUND)) throw error;
        const { headers, refusal } = await addressWindow.count(request.ip);
        reply.headers(headers);
        throw refusal ?? error;
      }
      return reply.code(204).send();
    });
  };
}
