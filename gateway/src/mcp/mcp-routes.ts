/**
 * MCP over Streamable HTTP at /mcp: the tools of `@audiosplit/mcp` for agents, which call this gateway's own
 * API with the caller's key. Each message thus counts as a call of the key, and each tool call as another
 * one, with the scopes, limits and refusals of its route.
 *
 * Nothing is stored between requests: clients of protocol revisions before 2026-07-28 are served without
 * sessions.
 */
import { createRequire } from 'node:module';
import { createAudiosplit } from '@audiosplit/client';
import { createMcpServer } from '@audiosplit/mcp';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { MAX_LISTING_BODY_BYTES } from '../http/input/json-body.ts';
import type { Access } from '../http/server/access.ts';
import { bearerKeyOf } from './bearer-key.ts';
import { fetchWithin } from './fetch-within.ts';

/** All packages have one version. */
const { version }: { readonly version: string } = createRequire(import.meta.url)(
  '@audiosplit/mcp/package.json',
);
/** Not a real host: calls stay in the process. */
const SELF = 'http://gateway.invalid';
const ACCESS: Access = { kind: 'bearerKey' };
/** Messages and notifications. GET and DELETE are answered with 405, because there are no sessions. */
const METHODS = ['POST', 'GET', 'DELETE'];

export const mcpRoutes: FastifyPluginAsync = async (app) => {
  const stopWaiting = new AbortController();
  app.addHook('preClose', async () => stopWaiting.abort());
  const audiosplitFor = (request: FastifyRequest) =>
    createAudiosplit({
      baseUrl: SELF,
      apiKey: bearerKeyOf(request.headers) ?? '',
      fetch: fetchWithin(app, request),
      retries: { maxRetries: 0 },
    });

  app.route({
    method: METHODS,
    url: '/mcp',
    bodyLimit: MAX_LISTING_BODY_BYTES,
    exposeHeadRoute: false,
    schema: { hide: true },
    // The resulting calls are checked individually.
    config: { access: ACCESS, whileSuspended: true },
    async handler(request, reply) {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { fetch: serve } = createMcpHandler(
        () =>
          createMcpServer({
            version,
            audiosplit: audiosplitFor(request),
            stopWaiting: stopWaiting.signal,
          }),
        // Streams are kept alive during a call.
        { maxRequestBodySize: MAX_LISTING_BODY_BYTES, responseMode: 'sse' },
      );
      const { method, jsonText } = request;
      const headers = Object.entries(request.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      );
      const body = method === 'POST' ? { body: jsonText ?? '' } : {};
      return reply.send(
        await serve(new Request(`${SELF}/mcp`, { method, headers, signal: gone.signal, ...body }), {
          ...(method === 'POST' ? { parsedBody: request.body } : {}),
        }),
      );
    },
  });
};
