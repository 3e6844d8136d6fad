/** Connections to real brokers that break when a test breaks them. */
import net from 'node:net';
import type { ISocketFactory } from 'kafkajs';

interface FaultyNetwork {
  readonly socketFactory: ISocketFactory;
  /** Breaks open connections, and refuses new ones until `heal`. */
  cut(): void;
  /** Connections, including new ones, stay open without a byte from the brokers until `heal`. */
  freeze(): void;
  heal(): void;
  /** The number of connection attempts so far, including refused ones. */
  attempts(): number;
  /** The broker executes the next `count` publish requests, but their responses are lost. */
  loseAnswers(count: number): void;
  answersToLose(): number;
  /** The number of requests of one kind sent so far. */
  sent(kind: RequestKind): number;
}

export type RequestKind = 'publish' | 'commit' | 'heartbeat';

/** Keyed by the protocol's number. */
const KINDS: ReadonlyMap<number, RequestKind> = new Map([
  [0, 'publish'],
  [8, 'commit'],
  [12, 'heartbeat'],
]);
/** A request's size precedes its kind. */
const API_KEY_OFFSET = 4;

export function createFaultyNetwork(): FaultyNetwork {
  const open = new Set<net.Socket>();
  let state: 'good' | 'cut' | 'frozen' = 'good';
  let attempts = 0;
  let toLose = 0;
  const sent: Record<RequestKind, number> = { publish: 0, commit: 0, heartbeat: 0 };

  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    attempts += 1;
    if (state === 'cut') {
      const socket = new net.Socket();
      process.nextTick(() => reset(socket));
      return socket;
    }
    const socket = net.connect({ host, port }, onConnect);
    open.add(socket);
    if (state === 'frozen') socket.pause();
    socket.once('close', () => open.delete(socket));
    const write = socket.write.bind(socket);
    socket.write = (chunk: unknown, ...rest: unknown[]) => {
      const kind = Buffer.isBuffer(chunk) ? KINDS.get(chunk.readInt16BE(API_KEY_OFFSET)) : undefined;
      if (kind !== undefined) sent[kind] += 1;
      if (toLose > 0 && kind === 'publish') {
        toLose -= 1;
        socket.removeAllListeners('data');
        socket.once('data', () => reset(socket));
      }
      return Reflect.apply(write, socket, [chunk, ...rest]);
    };
    return socket;
  };

  return {
    socketFactory,
    cut() {
      state = 'cut';
      for (const socket of open) reset(socket);
    },
    freeze() {
      state = 'frozen';
      for (const socket of open) socket.pause();
    },
    heal() {
      if (state === 'frozen') for (const socket of open) reset(socket);
      state = 'good';
    },
    attempts: () => attempts,
    loseAnswers(count) {
      toLose = count;
    },
    answersToLose: () => toLose,
    sent: (kind) => sent[kind],
  };
}

function reset(socket: net.Socket): void {
  socket.destroy(Object.assign(new Error('connection reset by the test'), { code: 'ECONNRESET' }));
}
