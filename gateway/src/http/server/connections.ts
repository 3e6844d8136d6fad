/**
 * Bounds the open connections, in total and per address, and the new ones of addresses that flood
 * (admission/late-refusals.ts). Further connections are closed without a response, which costs a tenth of a refused
 * request.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@audiosplit/chassis/clock';
import { count as countClosed } from '../../metrics.ts';
import { createWindowCounts } from '../../rate-limit/window-counts.ts';
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
  const exceededBound = ofAddresses === undefined ? () => undefined : createAddressBounds(ofAddresses);
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
    const bound = exceededBound(address, count);
    if (bound === undefined) return;
    countClosed('audiosplit_gateway_connections_closed_total', { bound });
    socket.destroy();
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

type AddressBound = 'CONNECTIONS_PER_ADDRESS' | 'FLOOD_CONNECTIONS_PER_SECOND';

/** The bound that a new connection exceeds, which is the address's `openCount`th. */
function createAddressBounds({ perAddress, floodsPerSecond, isFlooding, clock }: AddressBounds) {
  const floodsPerAddress = Math.max(1, Math.floor(floodsPerSecond * SHARE_OF_ADDRESS));
  const floods = createWindowCounts({ clock, windowSeconds: 1 });
  return (address: string, openCount: number): AddressBound | undefined => {
    if (openCount > perAddress) return 'CONNECTIONS_PER_ADDRESS';
    if (!isFlooding(address)) return undefined;
    if (floods.total >= floodsPerSecond || floods.of(address) >= floodsPerAddress)
      return 'FLOOD_CONNECTIONS_PER_SECOND';
    floods.add(address);
    return undefined;
  };
}
