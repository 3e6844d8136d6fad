/**
 * A proxy between the services and PostgreSQL that can lose the response to a commit.
 *
 * It parses the server's half of the protocol (PostgreSQL manual, "Message Formats": a type, a length, a
 * body). When armed for an application, it forwards that application's next writing transaction and holds the
 * response back until ReadyForQuery reports the session as idle, which is after the commit. Then it breaks
 * the connection: the transaction is durable, but its client never receives the outcome. Clients connect
 * without TLS.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface LostCommit {
  readonly application: string;
  /** The server's response: `COMMIT`, or the tag of a statement that was its own transaction. */
  readonly tag: string;
}

export async function startDatabaseProxy(upstream: { readonly host: string; readonly port: number }) {
  const armed = new Map<string, (lost: LostCommit) => void>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(upstream);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    let application: string | undefined;
    client.on('data', (chunk: Buffer) => {
      application ??= applicationName(chunk);
      if (!database.write(chunk)) client.pause();
    });
    database.on('drain', () => client.resume());
    client.on('drain', () => database.resume());
    client.on('end', () => database.end());
    database.on('end', () => client.end());

    const reader = createAnswerReader({
      isArmed: () => application !== undefined && armed.has(application),
      forward: (bytes) => {
        if (!client.write(bytes)) database.pause();
      },
      lose(tag) {
        const name = application ?? '';
        const onLost = armed.get(name);
        armed.delete(name);
        client.resetAndDestroy();
        database.destroy();
        onLost?.({ application: name, tag });
      },
    });
    database.on('data', reader);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /**
     * `application` is the connection's application_name. Rejects with the signal's reason if there was no
     * commit.
     */
    async loseNextCommit(application: string, signal: AbortSignal): Promise<LostCommit> {
      signal.throwIfAborted();
      const lost = Promise.withResolvers<LostCommit>();
      const giveUp = () => lost.reject(signal.reason);
      signal.addEventListener('abort', giveUp);
      armed.set(application, lost.resolve);
      return await lost.promise.finally(() => {
        armed.delete(application);
        signal.removeEventListener('abort', giveUp);
      });
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Read from the start-up message: pairs of names and values, each ended by a zero byte. */
function applicationName(startup: Buffer): string {
  const words = startup.subarray(8).toString('utf8').split('\0');
  const at = words.indexOf('application_name');
  return at === -1 ? '' : (words[at + 1] ?? '');
}

interface AnswerReaderOptions {
  readonly isArmed: () => boolean;
  readonly forward: (bytes: Buffer) => void;
  readonly lose: (tag: string) => void;
}

const HEADER_BYTES = 5;
const COMMAND_COMPLETE = 'C';
const READY_FOR_QUERY = 'Z';
const IDLE = 'I';

/** Accepts the server's bytes as they arrive. */
export function createAnswerReader({ isArmed, forward, lose }: AnswerReaderOptions): (chunk: Buffer) => void {
  let incomplete: Buffer = Buffer.alloc(0);
  let wasIdle = true;
  let held: { readonly tag: string; readonly messages: Buffer[] } | undefined;
  return (chunk) => {
    const bytes = incomplete.length === 0 ? chunk : Buffer.concat([incomplete, chunk]);
    const passing: Buffer[] = [];
    let at = 0;
    for (let end = endOfMessage(bytes, at); end !== undefined; end = endOfMessage(bytes, at)) {
      const message = bytes.subarray(at, end);
      at = end;
      const type = String.fromCharCode(message[0] ?? 0);
      if (held === undefined && type === COMMAND_COMPLETE && isArmed()) {
        const tag = message.toString('latin1', HEADER_BYTES, message.length - 1);
        if (endsWritingTransaction(tag, wasIdle)) held = { tag, messages: [] };
      }
      if (type === READY_FOR_QUERY) {
        wasIdle = String.fromCharCode(message[HEADER_BYTES] ?? 0) === IDLE;
        if (held !== undefined && wasIdle) {
          if (passing.length > 0) forward(Buffer.concat(passing));
          lose(held.tag);
          return;
        }
        if (held !== undefined) passing.push(...held.messages);
        held = undefined;
      }
      if (held === undefined) passing.push(message);
      else held.messages.push(message);
    }
    incomplete = bytes.subarray(at);
    if (passing.length > 0) forward(Buffer.concat(passing));
  };
}

function endOfMessage(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + HEADER_BYTES) return undefined;
  // The length includes itself, but not the type.
  const end = at + 1 + bytes.readUInt32BE(at + 1);
  return end <= bytes.length ? end : undefined;
}

/** Outside BEGIN … COMMIT a statement is its own transaction. */
function endsWritingTransaction(tag: string, wasIdle: boolean): boolean {
  return tag === 'COMMIT' || (wasIdle && /^(INSERT|UPDATE|DELETE|MERGE) /.test(tag) && !/ 0$/.test(tag));
}
