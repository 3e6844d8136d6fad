/**
 * The end of each request, once, however it comes: the whole answer is sent, or the connection is gone before that. Fastify's own
 * onResponse comes in the first case alone: whoever gave up waiting, or had heard enough, would be in no figure, and would be in
 * flight for ever.
 *
 * A request that waits on its connection for the answers of those before it is given no close of its own when the connection
 * breaks: therefore the connection's counts for all that are open on it.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface RequestEnd {
  /** Whether the connection was gone before the answer's last byte, whoever has broken it off. */
  readonly isAborted: boolean;
  /** What the caller has been told; undefined where that was nothing. */
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

/** To be added before whatever may refuse a request. */
export function onRequestEnd(app: FastifyInstance, work: Work): void {
  app.addHook('onRequest', (request, reply, done) => {
    const open = openRequest(request, reply);
    open.works.push(() => work(request, reply, endOf(reply, open)));
    done();
  });
  // Without such a hook Fastify neither takes the time that `elapsedTime` tells nor hears of errors of the answer.
  app.addHook('onResponse', (_request, _reply, done) => done());
}

function endOf({ raw, statusCode }: FastifyReply, { isFinished }: OpenRequest): RequestEnd {
  const isTold = isFinished || (raw.headersSent && raw.socket !== null);
  return { isAborted: !isFinished, statusSent: isTold ? statusCode : undefined };
}

/** Whether the caller has yet to take the rest of an answer that is made. */
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
