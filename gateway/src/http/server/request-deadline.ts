/**
 * Applies the caller's timeout, `Prefer: wait=10` in seconds (RFC 7240, section 4.3). Calls to services get the
 * remaining time, and the caller gets 503 while it still waits.
 */
import { type RunningDeadline, startDeadline } from '@audiosplit/chassis/rpc/deadline';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onRequestEnd } from './request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    deadline: RunningDeadline | undefined;
  }
}

/** Time to send the response. */
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
  // The deadline ends when the response starts. It does not bound a stream.
  api.addHook('onSend', (request, _reply, payload, done) => {
    request.deadline?.end();
    done(null, payload);
  });
  onRequestEnd(api, (request) => request.deadline?.end());
}

/** Invalid preferences are ignored (RFC 7240, section 2). */
function waitOf({ headers }: FastifyRequest): number | undefined {
  const [, seconds] =
    /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,4})"?\s*(?:[,;]|$)/i.exec(headers.prefer?.toString() ?? '') ?? [];
  return seconds === undefined || Number(seconds) === 0 ? undefined : Number(seconds);
}
