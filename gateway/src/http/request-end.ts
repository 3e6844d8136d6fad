/**
 * The end of each request, once, however it comes: the whole answer is sent, or the caller has gone before that. Fastify's own
 * onResponse comes in the first case alone: whoever gave up waiting, or had heard enough, would be in no figure, and would be in
 * flight for ever.
 *
 * A request that waits on its connection for the answers of those before it is given no close of its own when the connection
 * breaks: therefore the connection's counts for all that are open on it.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What others call the answer that nobody waited for: nginx's log, and those who read it. */
const CLIENT_CLOSED_REQUEST = 499;

const openRequests = new WeakMap<Socket, Set<() => void>>();

/** To be added before whatever may refuse a request. */
export function onRequestEnd(
  app: FastifyInstance,
  work: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const open = openOn(request.raw.socket);
    const end = () => {
      if (open.delete(end)) work(request, reply);
    };
    open.add(end);
    reply.raw.once('close', end);
    done();
  });
}

/** Whether its caller has gone before the answer's last byte. At its end. */
export function isAborted({ raw }: FastifyReply): boolean {
  return !raw.writableFinished;
}

/** What the caller has been told; undefined where that was nothing. At its end. */
export function statusSent(reply: FastifyReply): number | undefined {
  return reply.raw.headersSent ? reply.statusCode : undefined;
}

/** What it ended with, for those who count. At its end. */
export function statusAtEnd(reply: FastifyReply): number {
  return statusSent(reply) ?? CLIENT_CLOSED_REQUEST;
}

function openOn(socket: Socket): Set<() => void> {
  const known = openRequests.get(socket);
  if (known !== undefined) return known;
  const open = new Set<() => void>();
  openRequests.set(socket, open);
  socket.once('close', () => {
    for (const end of [...open]) end();
  });
  return open;
}
