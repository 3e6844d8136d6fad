/**
 * Calls a hook once when a request ends: its response is sent, or its connection is gone. Fastify's
 * onResponse covers only the first case, so aborted requests would be missing from the metrics and count as
 * in flight for ever.
 *
 * A pipelined request gets no close event of its own when the connection breaks, so the connection's event
 * ends all of its requests.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface RequestEnd {
  /** Whether the connection closed before the last byte, by either side. */
  readonly isAborted: boolean;
  /** The status that was sent. Undefined if none was. */
  readonly statusSent: number | undefined;
}

type Work = (request: FastifyRequest, reply: FastifyReply, end: RequestEnd) => void;

interface OpenRequest {
  readonly response: FastifyReply['raw'];
  readonly works: (() => void)[];
  isFinished: boolean;
}

const openRequests = new WeakMap<FastifyReply['raw'], OpenRequest>();
const openOnSockets = new WeakMap<Socket, Set<OpenRequest>>();

/** Add it before all hooks that can refuse a request. */
export function onRequestEnd(app: FastifyInstance, work: Work): void {
  app.addHook('onRequest', (request, reply, done) => {
    const open = openRequest(request, reply);
    open.works.push(() => work(request, reply, endOf(reply, open)));
    done();
  });
  // Without this hook Fastify neither measures `elapsedTime` nor sees errors of the response.
  app.addHook('onResponse', (_request, _reply, done) => done());
}

function endOf({ raw, statusCode }: FastifyReply, { isFinished }: OpenRequest): RequestEnd {
  const isStatusSent = isFinished || (raw.headersSent && raw.socket !== null);
  return { isAborted: !isFinished, statusSent: isStatusSent ? statusCode : undefined };
}

/** Whether part of the response is still to be read by the client. */
export function hasUnsentAnswer(socket: Socket): boolean {
  const open = openOnSockets.get(socket) ?? new Set();
  return [...open].some(({ response, isFinished }) => response.writableEnded && !isFinished);
}

function openRequest({ raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply): OpenRequest {
  const known = openRequests.get(response);
  if (known !== undefined) return known;
  const open: OpenRequest = { response, works: [], isFinished: false };
  const others = openOn(socket);
  others.add(open);
  response.once('finish', () => {
    open.isFinished = true;
  });
  response.once('close', () => end(open, others));
  openRequests.set(response, open);
  return open;
}

function openOn(socket: Socket): Set<OpenRequest> {
  const known = openOnSockets.get(socket);
  if (known !== undefined) return known;
  const all = new Set<OpenRequest>();
  openOnSockets.set(socket, all);
  socket.once('close', () => {
    for (const open of [...all]) end(open, all);
  });
  return all;
}

function end(open: OpenRequest, all: Set<OpenRequest>): void {
  if (!all.delete(open)) return;
  for (const work of open.works) work();
}
