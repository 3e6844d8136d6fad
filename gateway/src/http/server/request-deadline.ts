/**
 * How long the caller is going to wait, where it says so: `Prefer: wait=10`, in seconds (RFC 7240, section 4.3). The
 * services behind, and theirs, get what is left of that time and no more, and the caller gets its 503 while it still
 * listens.
 */
import { type RunningDeadline, startDeadline } from '@audiosplit/chassis/rpc/deadline';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onRequestEnd } from './request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    deadline: RunningDeadline | undefined;
  }
}

/** The answer needs a moment to get back. */
const RESERVED_MS = 50;

export function addRequestDeadlines(api: FastifyInstance): void {
  api.decorateRequest('deadline', undefined);
  api.addHook('preHandler', (request, reply, done) => {
    const waitSeconds = waitOf(request);
    if (waitSeconds === undefined) return done();
    request.deadline = startDeadline(waitSeconds * 1_000 - RESERVED_MS - reply.elapsedTime);
    reply.header('preference-applied', `wait=${waitSeconds}`);
    return request.deadline.run(done);
  });
  // What goes on after the answer has begun, as a stream does, is not bounded by the wait for it.
  api.addHook('onSend', (request, _reply, payload, done) => {
    request.deadline?.end();
    done(null, payload);
  });
  onRequestEnd(api, (request) => request.deadline?.end());
}

/** A preference that makes no sense is passed over (RFC 7240, section 2). */
function waitOf({ headers }: FastifyRequest): number | undefined {
  const [, seconds] =
    /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,4})"?\s*(?:[,;]|$)/i.exec(headers.prefer?.toString() ?? '') ?? [];
  return seconds === undefined || Number(seconds) === 0 ? undefined : Number(seconds);
}
