/** An HTTP server of a single test, on a free port; it stops at once, even with requests in flight. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

export async function listen(listener: RequestListener, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
