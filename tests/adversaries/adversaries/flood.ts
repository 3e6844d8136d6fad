/**
 * An open loop of requests: so many a second, whether or not earlier ones were answered. A request takes a connection
 * of its address whose last request was answered, or opens one.
 */
import { connect, type Socket } from 'node:net';
import type { Attack } from '../adversary.ts';
import { createTally } from './repetition.ts';

const TICK_MS = 10;
/** A late tick does not make up for more than this. */
const MAX_TICK_MS = 100;
/** Below the usual limit of a process's files. */
const MAX_CONNECTIONS = 10_000;

interface FloodOptions {
  readonly baseUrl: string;
  readonly perSecond: number;
  /** The local address of a request, counted from 0. */
  readonly addressOf: (count: number) => string;
  /** Its text, without a body. */
  readonly newRequest: () => string;
}

export function flood({ baseUrl, perSecond, addressOf, newRequest }: FloodOptions): Attack {
  const { hostname: host, port } = new URL(baseUrl);
  const answers = createTally();
  const sockets = new Set<Socket>();
  const idle = new Map<string, Set<Socket>>();
  let [count, due, lastTickAt] = [0, 0, performance.now()];

  const open = (localAddress: string, ready: Set<Socket>) => {
    const socket = connect({ host, port: Number(port), localAddress });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1')) ?? [];
      if (status === undefined) return;
      answers.add(status);
      ready.add(socket);
    });
    socket.on('close', () => {
      sockets.delete(socket);
      ready.delete(socket);
    });
    return socket;
  };
  const send = () => {
    const address = addressOf(count);
    count += 1;
    const ready = idle.get(address) ?? new Set<Socket>();
    idle.set(address, ready);
    const [free] = ready;
    if (free === undefined && sockets.size >= MAX_CONNECTIONS) return answers.add('not sent');
    const socket = free ?? open(address, ready);
    ready.delete(socket);
    socket.write(newRequest());
  };
  const timer = setInterval(() => {
    const now = performance.now();
    due += (Math.min(now - lastTickAt, MAX_TICK_MS) * perSecond) / 1_000;
    lastTickAt = now;
    for (; due >= 1; due -= 1) send();
  }, TICK_MS);

  return {
    async stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return String(answers);
    },
  };
}
