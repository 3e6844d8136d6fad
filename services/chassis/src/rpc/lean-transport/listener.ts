/**
 * One port for HTTP/1.1 (lean-transport.ts and other Connect clients) and HTTP/2 without TLS (gRPC): a
 * connection that begins with HTTP/2's preface (RFC 9113, section 3.4) is HTTP/2, any other is HTTP/1.1.
 *
 * A server must not close a connection while a request is on its way, because the client cannot know whether
 * the request was served. So a draining listener lets clients close: it answers HTTP/1.1 with `Connection:
 * close` and tells HTTP/2 clients to open no more streams (RFC 9113, section 6.8). Clients close idle
 * connections sooner than the draining ends. Connections that remain at the close are cut after a moment of
 * silence.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import { readArrived } from '../../net/read-arrived.ts';
import type { LeanHandler } from './server.ts';

interface ListenerHandlers {
  /** Called first for requests over HTTP/1.1. */
  readonly lean: LeanHandler;
  readonly stock: (
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
  ) => void;
}

export interface Listener {
  /** To listen with. */
  readonly server: Server;
  /** Asks clients to use other connections from now on; everything is still served. */
  drain(): void;
  /** Resolves when all connections are closed; those still active after `graceMs` are cut. */
  close(graceMs: number): Promise<void>;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** Timeout for a peer that connects and sends nothing. */
const FIRST_BYTES_TIMEOUT_MS = 10_000;
/** Longer than clients keep a connection, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const SILENCE_BEFORE_CLOSE_MS = 100;
/** Refers to no stream: all streams that arrive meanwhile are served. */
const LAST_STREAM_ID = 2 ** 31 - 1;

export function createListener({ lean, stock }: ListenerHandlers): Listener {
  let isDraining = false;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (request, response) => {
    if (isDraining) response.setHeader('connection', 'close');
    if (!lean(request, response)) stock(request, response);
  });
  const http2 = createHttp2Server(stock);
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    if (isDraining) session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM_ID);
  });

  const undecided = new Set<Socket>();
  const serveHttp1 = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', async (socket: Socket) => {
    undecided.add(socket);
    socket.once('close', () => undecided.delete(socket));
    const isHttp2 = await beginsWithPreface(socket);
    undecided.delete(socket);
    if (isHttp2) http2.emit('connection', socket);
    else for (const serve of serveHttp1) serve.call(server, socket);
  });

  const drain = () => {
    if (isDraining) return;
    isDraining = true;
    for (const session of sessions) session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM_ID);
  };

  return {
    server,
    drain,
    async close(graceMs) {
      drain();
      await readArrived(server);
      const closed = once(server, 'close');
      // http.Server's own close would cut idle connections at once.
      NetServer.prototype.close.call(server);
      const sweep = setInterval(async () => {
        await readArrived(server);
        for (const session of sessions) session.close();
        for (const socket of undecided) socket.destroy();
        server.closeIdleConnections();
      }, SILENCE_BEFORE_CLOSE_MS);
      const bound = setTimeout(() => {
        for (const session of sessions) session.destroy();
        server.closeAllConnections();
      }, graceMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(bound);
      server.close();
    },
  };
}

/** Resolves once enough bytes have arrived to decide; they remain readable. A silent peer is cut off. */
function beginsWithPreface(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let begin = Buffer.alloc(0);
    const decide = (isHttp2: boolean) => {
      socket.off('readable', look).off('timeout', giveUp).off('error', giveUp).off('end', giveUp);
      socket.setTimeout(0);
      if (begin.length > 0) socket.unshift(begin);
      resolve(isHttp2);
    };
    const look = () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      begin = Buffer.concat([begin, chunk]);
      const compared = Math.min(begin.length, PREFACE.length);
      const isLike = PREFACE.subarray(0, compared).equals(begin.subarray(0, compared));
      if (!isLike || compared === PREFACE.length) decide(isLike);
    };
    const giveUp = () => socket.destroy();
    socket.setTimeout(FIRST_BYTES_TIMEOUT_MS, giveUp);
    socket.on('readable', look).on('error', giveUp).on('end', giveUp);
  });
}
