/**
 * Bounds the open connections, in total and per address, and the new ones of addresses that flood
 * (admission/late-refusals.ts). Further connections are closed without a response, which costs a tenth of a refused
 * request.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@audiosplit/chassis/clock';
import { count as countClosed } from '../../metrics.ts';
import { addressBucket } from './client-address.ts';

interface ConnectionBounds {
  readonly max: number;
  /** Absent if all connections come from a proxy. */
  readonly ofAddresses: AddressBounds | undefined;
}

interface AddressBounds {
  readonly perAddress: number;
  /** New connections of all flooding addresses. One address may have a tenth of them. */
  readonly floodsPerSecond: number;
  readonly isFlooding: (address: string) => boolean;
  readonly clock: Clock;
}

export interface Connections {
  readonly open: number;
  /** The highest number of connections of one address. */
  readonly fullest: number;
}

const SHARE_OF_ADDRESS = 0.1;

export function boundConnections(server: Server, { max, ofAddresses }: ConnectionBounds): Connections {
  const counts = new Map<string, number>();
  const floods = ofAddresses === undefined ? undefined : createFloodBound(ofAddresses);
  let open = 0;
  server.maxConnections = max;
  server.on('connection', (socket: Socket) => {
    open += 1;
    const address = addressBucket(socket.remoteAddress ?? '');
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    socket.once('close', () => {
      open -= 1;
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
    if (ofAddresses === undefined || floods === undefined) return;
    if (count > ofAddresses.perAddress) close(socket, 'CONNECTIONS_PER_ADDRESS');
    else if (!floods.accepts(address)) close(socket, 'FLOOD_CONNECTIONS_PER_SECOND');
  });
  return {
    get open() {
      return open;
    },
    get fullest() {
      return Math.max(0, ...counts.values());
    },
  };
}

function close(socket: Socket, bound: 'CONNECTIONS_PER_ADDRESS' | 'FLOOD_CONNECTIONS_PER_SECOND'): void {
  countClosed('audiosplit_gateway_connections_closed_total', { bound });
  socket.destroy();
}

function createFloodBound({ floodsPerSecond, isFlooding, clock }: AddressBounds) {
  const perAddress = Math.max(1, Math.floor(floodsPerSecond * SHARE_OF_ADDRESS));
  const counts = new Map<string, number>();
  let second = 0;
  let total = 0;
  const beginSecond = () => {
    const now = Math.floor(clock().getTime() / 1_000);
    if (now === second) return;
    counts.clear();
    second = now;
    total = 0;
  };
  return {
    accepts(address: string): boolean {
      if (!isFlooding(address)) return true;
      beginSecond();
      const count = counts.get(address) ?? 0;
      if (total >= floodsPerSecond || count >= perAddress) return false;
      total += 1;
      counts.set(address, count + 1);
      return true;
    },
  };
}
