import { Readable } from 'node:stream';
import type { Fetch } from '@audiosplit/client';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * A `fetch` that calls the gateway's own routes without a connection on behalf of a request. Calls have the
 * request's address, so every limit applies as if the caller had sent them.
 */
export function fetchWithin(app: FastifyInstance, { raw, headers }: FastifyRequest): Fetch {
  const forwarded = headers['x-forwarded-for'];
  const remoteAddress = raw.socket.remoteAddress;
  return async (url, init) => {
    const { pathname, search } = new URL(url);
    const response = await app.inject({
      method: init.method as 'GET',
      url: `${pathname}${search}`,
      headers: {
        ...(init.headers as Record<string, string>),
        ...(forwarded === undefined ? {} : { 'x-forwarded-for': String(forwarded) }),
      },
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
      ...(remoteAddress === undefined ? {} : { remoteAddress }),
      ...(init.signal ? { signal: init.signal } : {}),
      payloadAsStream: true,
    });
    const body = response.statusCode === 204 ? null : (Readable.toWeb(response.stream()) as ReadableStream);
    const answered = Object.entries(response.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    return new Response(body, { status: response.statusCode, headers: answered });
  };
}
