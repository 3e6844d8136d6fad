/** A stretch of network before a real server, which breaks when a test says so. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface NetworkGate extends AsyncDisposable {
  readonly port: number;
  /** Ends what is connected, and new connections as soon as they come, until `heal`. */
  cut(): void;
  /** Connections stay open, new ones too, and nothing gets through until `heal`. */
  freeze(): void;
  heal(): void;
}

export async function openNetworkGate(target: {
  readonly hostname: string;
  readonly port: number;
}): Promise<NetworkGate> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const server = createServer((incoming) => {
    if (state === 'cut') {
      incoming.on('error', () => undefined);
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connect(target.port, target.hostname);
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      // Who is behind a network that is down does not hear that the other end has gone.
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => to.write(chunk));
      if (state === 'frozen') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      destroyAll();
    },
    freeze() {
      state = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    heal() {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      destroyAll();
      await closed;
    },
  };
}
