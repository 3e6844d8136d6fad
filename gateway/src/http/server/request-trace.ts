import { isTraced, type Span, type SpanEnd, startSpan } from '@audiosplit/chassis/observability/spans';
import type { Logger } from '@audiosplit/chassis/process/log';
import { REQUEST_ID_HEADER, runInTrace, traceFromHeaders } from '@audiosplit/chassis/trace';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROBES } from './health.ts';
import { onRequestEnd } from './request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where the request is not traced. */
    span: Span | undefined;
  }
}

/** What nginx's log, and those who read such, call the answer that nobody waited for. */
const CLIENT_CLOSED_REQUEST = 499;

/** Gives the request its trace, taken from the caller where well formed, and the answer its X-Request-Id. */
export function startTrace(request: FastifyRequest, reply: FastifyReply): void {
  request.trace = traceFromHeaders((name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  });
  reply.header(REQUEST_ID_HEADER, request.trace.requestId);
}

/** Every piece of work on a request runs inside its trace, and leaves one line in the log. */
export function addRequestTrace(app: FastifyInstance, log: Logger): void {
  // Looking for credentials takes longer than writing a line, and what this one holds is named below.
  const requests = log.child({}, { redact: [] });
  app.decorateRequest('trace');
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    startTrace(request, reply);
    startRequestSpan(request);
    runInTrace(request.trace, done);
  });
  // Reading the body leaves the asynchronous context of the first hook behind.
  app.addHook('preHandler', (request, _reply, done) => runInTrace(request.trace, done));
  onRequestEnd(app, (request, reply, { isAborted, statusSent }) => {
    const entry = {
      method: request.method,
      // The pattern, never the URL: links carry their signatures in it.
      route: request.routeOptions.url ?? 'none',
      status: statusSent ?? CLIENT_CLOSED_REQUEST,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      ...(isAborted ? { aborted: true } : {}),
    };
    runInTrace(request.trace, () => requests.info(entry, 'request'));
    request.span?.end(spanEnd(statusSent));
  });
}

/** Semantic conventions have a status where one was sent, and an error where it is the server's. */
function spanEnd(status: number | undefined): SpanEnd {
  if (status === undefined) return {};
  return {
    attributes: { 'http.response.status_code': status },
    errorType: status >= 500 ? String(status) : undefined,
  };
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server. Probes are nobody's request. */
function startRequestSpan(request: FastifyRequest): void {
  const { method, trace } = request;
  const route = request.routeOptions.url;
  if (!isTraced() || PROBES.has(route)) return;
  request.span = startSpan({
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server',
    attributes: { 'http.request.method': method, ...(route === undefined ? {} : { 'http.route': route }) },
    parent: trace,
    mayBegin: true,
  });
  request.trace = request.span?.trace ?? trace;
}
