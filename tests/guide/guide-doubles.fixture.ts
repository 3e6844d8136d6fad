/**
 * The servers besides the product that the guide's programs call: each on its own port, while it is in use.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../harness/servers/listen.ts';

type Handle = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>;

function serve(handle: Handle) {
  return listen((request, response) => {
    buffer(request)
      .then((body) => handle(request, response, body))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
}

export interface Notification {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver that checks no signature and stores every notification. */
export async function startRecorder() {
  const received: Notification[] = [];
  const server = await serve(({ headers }, response, body) => {
    received.push({ headers, body });
    response.writeHead(204).end();
  });
  return { ...server, received };
}

/**
 * A proxy in front of the product: it loses the response to the first request, refuses the second, and passes
 * the third on.
 */
export async function startStumblingProxy(baseUrl: string) {
  const statuses: number[] = [];
  const server = await serve(async (request, response, body) => {
    const tries = statuses.length + 1;
    if (tries === 2) {
      statuses.push(503);
      const error = { code: 'SERVICE_UNAVAILABLE', message: 'Later.', status: 503 };
      const headers = { 'content-type': 'application/json', 'retry-after': '1' };
      return void response.writeHead(503, headers).end(JSON.stringify({ error }));
    }
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(new URL(request.url ?? '/', baseUrl), {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      body: new Uint8Array(body),
    });
    const text = await answer.text();
    statuses.push(answer.status);
    if (tries === 1) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return { ...server, statuses };
}
