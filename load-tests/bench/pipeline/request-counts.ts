/**
 * Counts this process's requests to its database, its brokers and its disk, from the moment it is imported.
 */
import { open } from 'node:fs/promises';
import net from 'node:net';
import pg from 'pg';

export interface RequestCounts {
  /** Round trips to the database. Messages sent while a response is pending count as the same round trip. */
  readonly roundTrips: number;
  /** Different names of prepared statements. */
  readonly prepared: number;
  /** Syncs of files; the database's are counted separately. */
  readonly fsyncs: number;
  readonly connections: number;
  readonly busRequests: number;
  readonly fetches: number;
  readonly heartbeats: number;
  readonly commits: number;
}

/** Keyed by the protocol's number. */
const KAFKA_REQUESTS: ReadonlyMap<number, 'fetches' | 'heartbeats' | 'commits'> = new Map([
  [1, 'fetches'],
  [8, 'commits'],
  [12, 'heartbeats'],
]);
/** A request's size precedes its kind. */
const API_KEY_OFFSET = 4;

type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

export async function countRequests(brokers: readonly string[]): Promise<() => RequestCounts> {
  const counts = {
    roundTrips: 0,
    fsyncs: 0,
    connections: 0,
    busRequests: 0,
    fetches: 0,
    heartbeats: 0,
    commits: 0,
  };
  const names = new Set<unknown>();
  const ports = new Set(brokers.map((broker) => Number(broker.split(':').at(-1))));

  before(pg.Client.prototype, 'query', (client, [config]) => {
    if ((client as { readonly readyForQuery: boolean }).readyForQuery) counts.roundTrips += 1;
    if (typeof config === 'object' && config !== null && 'name' in config) names.add(config.name);
  });
  before(net.Socket.prototype, 'connect', () => {
    counts.connections += 1;
  });
  before(net.Socket.prototype, 'write', (socket, [chunk]) => {
    if (!(socket instanceof net.Socket) || !ports.has(socket.remotePort ?? 0) || !Buffer.isBuffer(chunk))
      return;
    counts.busRequests += 1;
    const kind = KAFKA_REQUESTS.get(chunk.readInt16BE(API_KEY_OFFSET));
    if (kind !== undefined) counts[kind] += 1;
  });
  await using file = await open(new URL(import.meta.url));
  const handles: Record<'sync' | 'datasync', unknown> = Object.getPrototypeOf(file);
  for (const method of ['sync', 'datasync'] as const) {
    before(handles, method, () => {
      counts.fsyncs += 1;
    });
  }
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
