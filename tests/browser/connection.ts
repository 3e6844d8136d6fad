/** A connection between a browser and its server that can fail. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export async function openConnection(serverUrl: string) {
  const { hostname, port } = new URL(serverUrl);
  const open = new Set<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  const keep = (socket: Socket, other: () => Socket) => {
    open.add(socket);
    socket.on('data', (chunk) => state === 'whole' && other().write(chunk));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      open.delete(socket);
      other().destroy();
    });
  };
  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect(Number(port), hostname);
    keep(near, () => far);
    keep(far, () => near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** The server's address through this connection. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** As if the server were gone: open connections break, and new ones fail. */
    cut() {
      state = 'cut';
      breakAll();
    },
    /** As if a cable were unplugged: nothing breaks, and nothing arrives. */
    hush() {
      state = 'silent';
    },
    mend() {
      // Bytes lost during the silence are not sent again, so all connections break.
      breakAll();
      state = 'whole';
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      await server[Symbol.asyncDispose]();
    },
  };
}
