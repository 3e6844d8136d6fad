/** The metrics of the gateway. */
import {
  type MetricDefinitions,
  RESPONSE_SECONDS,
} from '@audiosplit/chassis/observability/metric-definition';
import { metersOf } from '@audiosplit/chassis/observability/metrics';
import { PROCESS_METRICS } from '@audiosplit/chassis/observability/shared-metrics';

/** Kinds of buckets of the rate limiter; their names begin with these. */
export const BUCKETS = ['key', 'account', 'console', 'ip', 'downloads', 'pages'] as const;

/** Bounds of concurrent use, by the name of their setting. */
export const BOUNDS_IN_USE = [
  'SUSPECT_LOOKUPS',
  'MAX_DELAYED_REFUSALS',
  'STREAMS_PER_ACCOUNT',
  'STREAMS_PER_ADDRESS',
  'MAX_CONNECTIONS',
  'CONNECTIONS_PER_ADDRESS',
  'UNIDENTIFIED_BODY_BYTES',
  'BODY_BUFFER_BYTES',
  'UPLOAD_BUFFER_BYTES',
] as const;

export const METRICS = {
  ...PROCESS_METRICS,
  audiosplit_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Requests to the gateway, from arrival to the end of the response or until the client disconnects; `none`: nothing had been sent.',
    labels: {
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'],
      route: 'pattern of the route, `none` without one',
      status_class: ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'],
    },
    buckets: RESPONSE_SECONDS,
  },
  audiosplit_http_requests_in_flight: {
    type: 'gauge',
    help: 'Requests that have arrived and whose response has not ended, including downloads and event streams.',
    labels: {},
  },
  audiosplit_http_requests_refused_total: {
    type: 'counter',
    help: 'Valid requests that were refused, by the exhausted limit.',
    labels: {
      reason: [
        'rate_limited',
        'quota_exceeded',
        'spend_limit_reached',
        'queue_full',
        'too_many_streams',
        'export_too_frequent',
        'overloaded',
        'unidentified',
        'request_timeout',
        'upload_timeout',
        'upload_limit_reached',
      ],
    },
  },
  audiosplit_gateway_connections_closed_total: {
    type: 'counter',
    help: 'Connections that were closed when they arrived, by the bound.',
    labels: { bound: ['CONNECTIONS_PER_ADDRESS', 'FLOOD_CONNECTIONS_PER_SECOND'] },
  },
  audiosplit_rate_limit_fullest_ratio: {
    type: 'gauge',
    help: 'Usage of the fullest bucket of each kind in this minute, among those in which this gateway has counted; 1: calls are refused.',
    labels: { bucket: BUCKETS },
  },
  audiosplit_gateway_bound_used: {
    type: 'gauge',
    help: 'Usage of each bound of docs/limits.md; for a bound per account or address, that of the one with the most.',
    labels: { bound: BOUNDS_IN_USE },
  },
  audiosplit_gateway_bound_limit: {
    type: 'gauge',
    help: 'The bound itself.',
    labels: { bound: BOUNDS_IN_USE },
  },
  audiosplit_rate_limiter_degraded: {
    type: 'gauge',
    help: '1 while this gateway counts calls alone because Redis does not answer.',
    labels: {},
  },
  audiosplit_rate_limiter_degraded_calls_total: {
    type: 'counter',
    help: 'Calls that this gateway has counted alone because Redis did not answer.',
    labels: {},
  },
  audiosplit_gateway_dependency_failing: {
    type: 'gauge',
    help: '1 while a dependency of this gateway does not answer.',
    labels: { dependency: ['limiter', 'store', 'auth'] },
  },
} as const satisfies MetricDefinitions;

export const { count, expose, observe } = metersOf(METRICS);
