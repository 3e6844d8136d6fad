import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { KeySet } from '../credentials/key-set.ts';
import { ref } from '../schemas/ref.ts';
import { KeySetBody } from '../schemas/sessions.ts';

/** Limits the load, and is short enough to see a rotation before the old key retires. */
const MAX_AGE_SECONDS = 300;

export function keySetRoutes(ownKeys: KeySet): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/.well-known/jwks.json',
      {
        config: { errors: ['SERVICE_UNAVAILABLE', 'RATE_LIMITED'], bounds: ['pages'] },
        schema: {
          operationId: 'getKeySet',
          tags: ['Sign-in'],
          summary: 'Read the keys that sign access tokens',
          description: 'The public halves, as a JSON Web Key Set (RFC 7517).',
          response: { 200: ref(KeySetBody) },
        },
      },
      async (_request, reply) => {
        reply.header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`);
        const { keys } = await ownKeys.current();
        return { keys: keys.map((key) => ({ ...key })) };
      },
    );
  };
}
