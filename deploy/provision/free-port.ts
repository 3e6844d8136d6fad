import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const handedOut = new Set<number>();

/** A TCP port of the loopback interface that is free now and has not been handed out by this process before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    return port;
  }
}

export async function isPortFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port);
    return true;
  } catch {
    return false;
  }
}

async function listenOnce(port: number): Promise<number> {
  await using server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
