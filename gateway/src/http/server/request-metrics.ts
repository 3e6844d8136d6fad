/** Metrics of requests, responses and refusals. */
import { isMeasured } from '@audiosplit/chassis/observability/metrics';
import { statusClass } from '@audiosplit/chassis/observability/status-class';
import type { FastifyInstance } from 'fastify';
import { count, expose, observe } from '../../metrics.ts';
import type { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { onRequestEnd } from './request-end.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Add it before all hooks that can refuse a request. Does nothing if metrics are off. */
export function addRequestMetrics(app: FastifyInstance): void {
  if (!isMeasured()) return;
  let inFlight = 0;
  const exposed = expose('audiosplit_http_requests_in_flight', () => [{ labels: {}, value: inFlight }]);
  app.addHook('onRequest', (_request, _reply, done) => {
    inFlight += 1;
    done();
  });
  onRequestEnd(app, (request, reply, { statusSent }) => {
    inFlight -= 1;
    const labels = {
      method: METHODS.find((method) => method === request.method) ?? 'other',
      // The pattern, which bounds the number of values by that of routes.
      route: request.routeOptions.url ?? 'none',
      status_class: statusSent === undefined ? 'none' : statusClass(statusSent),
    } as const;
    observe('audiosplit_http_request_duration_seconds', labels, reply.elapsedTime / 1_000);
  });
  app.addHook('onClose', async () => exposed[Symbol.dispose]());
}

const REFUSALS = {
  RATE_LIMITED: 'rate_limited',
  QUOTA_EXCEEDED: 'quota_exceeded',
  SPEND_LIMIT_REACHED: 'spend_limit_reached',
  QUEUE_FULL: 'queue_full',
  TOO_MANY_STREAMS: 'too_many_streams',
  EXPORT_TOO_FREQUENT: 'export_too_frequent',
  REQUEST_TIMEOUT: 'request_timeout',
  UPLOAD_TIMEOUT: 'upload_timeout',
  UPLOAD_LIMIT_REACHED: 'upload_limit_reached',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Counts errors about a limit that the caller has used up. load-shedding.ts counts its own. */
export function countRefusal({ code, details }: ApiError): void {
  if (details.addressRefusal?.isWindowSpent === false)
    count('audiosplit_http_requests_refused_total', { reason: 'unidentified' });
  else if (Object.hasOwn(REFUSALS, code)) {
    count('audiosplit_http_requests_refused_total', { reason: REFUSALS[code as keyof typeof REFUSALS] });
  }
}
