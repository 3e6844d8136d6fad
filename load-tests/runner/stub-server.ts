/** A server that refuses whatever it is asked, as a gateway does whose limit is used up, and does nothing besides. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubServer extends AsyncDisposable {
  readonly url: string;
}

const LIMIT = 1;
const RETRY_AFTER_SECONDS = 60;
const BODY = JSON.stringify({
  error: {
    code: 'RATE_LIMITED',
    message: 'This server answers nothing.',
    status: 429,
    retryAfter: RETRY_AFTER_SECONDS,
  },
});

/** On this machine only. */
export async function openStubServer(): Promise<StubServer> {
  const server = createServer((_request, response) => {
    response.writeHead(429, {
      'content-type': 'application/json',
      'content-length': BODY.length,
      'x-ratelimit-limit': LIMIT,
      'x-ratelimit-remaining': 0,
      'x-ratelimit-reset': Math.floor(Date.now() / 1_000) + RETRY_AFTER_SECONDS,
      'retry-after': String(RETRY_AFTER_SECONDS),
    });
    response.end(BODY);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
