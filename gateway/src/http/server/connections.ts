/**
 * Bounds the open connections, in total and per address. Further connections are closed without a response.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressBucket } from './client-address.ts';

interface ConnectionBounds {
  readonly max: number;
  /** Absent if all connections come from a proxy. */
  readonly perAddress: number | undefined;
}

export interface Connections {
  readonly open: number;
  /** The highest number of connections of one address. */
  readonly fullest: number;
}

export function boundConnections(server: Server, { max, perAddress }: ConnectionBounds): Connections {
  const ofAddresses = new Map<string, number>();
  let open = 0;
  server.maxConnections = max;
  server.on('connection', (socket: Socket) => {
    open += 1;
    const address = addressBucket(socket.remoteAddress ?? '');
    const count = (ofAddresses.get(address) ?? 0) + 1;
    ofAddresses.set(address, count);
    socket.once('close', () => {
      open -= 1;
      const left = (ofAddresses.get(address) ?? 1) - 1;
      if (left === 0) ofAddresses.delete(address);
      else ofAddresses.set(address, left);
    });
    if (perAddress !== undefined && count > perAddress) socket.destroy();
  });
  return {
    get open() {
      return open;
    },
    get fullest() {
      return Math.max(0, ...ofAddresses.values());
    },
  };
}
