/** Counts what this process sends to its database and its brokers, from when it is imported. */
import net from 'node:net';
import pg from 'pg';

export interface RequestCounts {
  readonly statements: number;
  /** Different names of prepared statements. */
  readonly prepared: number;
  readonly fetches: number;
  readonly heartbeats: number;
  readonly commits: number;
}

/** By the protocol's number. */
const KAFKA_REQUESTS: ReadonlyMap<number, 'fetches' | 'heartbeats' | 'commits'> = new Map([
  [1, 'fetches'],
  [8, 'commits'],
  [12, 'heartbeats'],
]);
/** After the request's size comes its kind. */
const API_KEY_OFFSET = 4;

type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

export function countRequests(brokers: readonly string[]): () => RequestCounts {
  const counts = { statements: 0, fetches: 0, heartbeats: 0, commits: 0 };
  const names = new Set<unknown>();
  const ports = new Set(brokers.map((broker) => Number(broker.split(':').at(-1))));

  before(pg.Client.prototype, 'query', (_, [config]) => {
    counts.statements += 1;
    if (typeof config === 'object' && config !== null && 'name' in config) names.add(config.name);
  });
  before(net.Socket.prototype, 'write', (socket, [chunk]) => {
    if (!(socket instanceof net.Socket) || !ports.has(socket.remotePort ?? 0) || !Buffer.isBuffer(chunk))
      return;
    const kind = KAFKA_REQUESTS.get(chunk.readInt16BE(API_KEY_OFFSET));
    if (kind !== undefined) counts[kind] += 1;
  });
  return () => ({ ...counts, prepared: names.size });
}

function before<K extends string>(
  prototype: Record<K, unknown>,
  method: K,
  look: (self: unknown, args: readonly unknown[]) => void,
): void {
  const original = prototype[method] as Method;
  const counted: Method = function (...args) {
    look(this, args);
    return Reflect.apply(original, this, args);
  };
  prototype[method] = counted;
}
