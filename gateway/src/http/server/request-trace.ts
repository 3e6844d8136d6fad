import { isTraced, type Span, type SpanEnd, startSpan } from '@audiosplit/chassis/observability/spans';
import type { Logger } from '@audiosplit/chassis/process/log';
import { REQUEST_ID_HEADER, runInTrace, traceFromHeaders } from '@audiosplit/chassis/trace';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROBES } from './health.ts';
import { onRequestEnd } from './request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the request is not traced. */
    span: Span | undefined;
  }
}

/** nginx's status for a client that disconnected before the response. */
const CLIENT_CLOSED_REQUEST = 499;

/** Sets the trace, continued from the caller's if well formed, and X-Request-Id. */
export function startTrace(request: FastifyRequest, reply: FastifyReply): void {
  request.trace = traceFromHeaders((name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  });
  reply.header(REQUEST_ID_HEADER, request.trace.requestId);
}

/** Runs each request inside its trace and writes one log line for it. */
export function addRequestTrace(app: FastifyInstance, log: Logger): void {
  // Redaction costs more than the log line, and these fields hold no credentials.
  const requests = log.child({}, { redact: [] });
  app.decorateRequest('trace');
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    startTrace(request, reply);
    startRequestSpan(request);
    runInTrace(request.trace, done);
  });
  // Reading the body loses the asynchronous context of the first hook.
  app.addHook('preHandler', (request, _reply, done) => runInTrace(request.trace, done));
  onRequestEnd(app, (request, reply, { isAborted, statusSent }) => {
    const entry = {
      method: request.method,
      // The pattern, never the URL: links contain signatures.
      route: request.routeOptions.url ?? 'none',
      status: statusSent ?? CLIENT_CLOSED_REQUEST,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      ...(isAborted ? { aborted: true } : {}),
    };
    runInTrace(request.trace, () => requests.info(entry, 'request'));
    request.span?.end(spanEnd(statusSent));
  });
}

/** Semantic conventions: the status if one was sent, and an error if it is the server's. */
function spanEnd(status: number | undefined): SpanEnd {
  if (status === undefined) return {};
  return {
    attributes: { 'http.response.status_code': status },
    errorType: status >= 500 ? String(status) : undefined,
  };
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server. Probes are not traced. */
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
