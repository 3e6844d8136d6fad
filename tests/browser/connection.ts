/** What lies between a browser and its server, and can fail. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Connection extends AsyncDisposable {
  /** The server's address, through it. */
  readonly url: string;
  /** As where the server is gone: what is open breaks, and nothing new gets through. */
  cut(): void;
  /** As where a cable is: nothing breaks, and nothing arrives. */
  hush(): void;
  mend(): void;
}

export async function openConnection(serverUrl: string): Promise<Connection> {
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
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    keep(near, () => far);
    keep(far, () => near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = 'cut';
      breakAll();
    },
    hush() {
      state = 'silent';
    },
    mend() {
      // What was lost in the silence is not made up for.
      breakAll();
      state = 'whole';
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        breakAll();
      }),
  };
}
