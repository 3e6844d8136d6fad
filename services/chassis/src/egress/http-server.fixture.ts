import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A server of a single test on 127.0.0.1; disposing closes it and all its connections. */
interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  /** Resolves when no connection is open any more. */
  untilNoConnections(): Promise<void>;
}

export async function startLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(request);
    Promise.resolve(answer(request, response)).catch((error: Error) => response.destroy(error));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // These tests cover clients that disconnect during a response.
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    async untilNoConnections() {
      while (sockets.size > 0) {
        const [socket] = sockets;
        // Not events.once: it rejects when the client resets the connection, which counts as a close here.
        if (socket !== undefined) await new Promise((resolve) => socket.once('close', resolve));
      }
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
