/** A server behind the API server's aggregation layer. It accepts only the certificate of the front proxy. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';

interface ExtensionServer {
  readonly certificates: string;
  readonly address: string;
  readonly port: number;
  /** Undefined where there is no such resource; what it throws is answered as 500. */
  answer(url: URL): Promise<object | undefined>;
}

export function serveExtension({ certificates, address, port, answer }: ExtensionServer): void {
  const read = (name: string) => readFileSync(join(certificates, name));
  createServer(
    {
      cert: read('extensions.crt'),
      key: read('extensions.key'),
      ca: read('front-proxy-ca.crt'),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      answer(new URL(request.url ?? '/', 'https://localhost')).then(
        (body) => send(response, body === undefined ? 404 : 200, body ?? { message: 'no such resource' }),
        (error) => send(response, 500, { message: messageOf(error) }),
      );
    },
  ).listen(port, address);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
