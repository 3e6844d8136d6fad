/**
 * Every metric there is: what it counts, in which unit, and with which labels. docs/reference/metrics.md is written from it.
 *
 * Labels have few values by construction: either they are listed here, or they name parts of the program (methods, topics,
 * schemas, route patterns, error codes). None is ever taken from what a caller sends, and none is called as one that
 * Prometheus itself gives to a target (`job`, `instance`, `service`, `pod`, `namespace`).
 */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** By name: all values, or which part of the program the values name. */
  readonly labels: Readonly<Record<string, readonly string[] | string>>;
  /** Processes that show it; the embedded run is all of them in one. */
  readonly of: readonly ProcessName[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** It is one figure of the whole installation, which every replica of the process tells alike. */
  readonly isShared?: true;
}

export const PROCESS_NAMES = [
  'gateway',
  'account',
  'auth',
  'billing',
  'jobs',
  'splitter',
  'webhooks',
] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

const ALL = PROCESS_NAMES;
const SERVICES = ['account', 'auth', 'billing', 'jobs', 'splitter', 'webhooks'] as const;
const WITH_DATABASE = ['account', 'auth', 'billing', 'jobs', 'webhooks'] as const;
const WITH_OUTBOX = ['account', 'auth', 'billing', 'jobs'] as const;

const ANSWER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const JOB_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200];
const WAIT_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
/** Up to the 15 s after which an attempt is given up. */
const WEBHOOK_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const TASK_SECONDS = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600];

const OUTPUT_FORMATS = ['mp3', 'wav', 'flac', 'ogg', 'aac'] as const;

const RPC_LABELS = {
  rpc_service: 'full name of the called service',
  rpc_method: 'method',
  rpc_code: '`ok`, or the Connect code of the failure',
} as const;

export const METRICS = {
  audiosplit_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Requests to the gateway, from arrival to the end of the answer, or until the caller has gone: `none` if nothing had been sent.',
    labels: {
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'],
      route: 'pattern of the route, `none` without one',
      status_class: ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'],
    },
    of: ['gateway'],
    buckets: ANSWER_SECONDS,
  },
  audiosplit_http_requests_in_flight: {
    type: 'gauge',
    help: 'Requests that have arrived and whose answer has not ended, downloads and event streams among them.',
    labels: {},
    of: ['gateway'],
  },
  audiosplit_http_requests_refused_total: {
    type: 'counter',
    help: 'Requests refused although nothing was wrong with them, by what was used up.',
    labels: {
      reason: [
        'rate_limited',
        'quota_exceeded',
        'queue_full',
        'too_many_streams',
        'export_too_frequent',
        'overloaded',
      ],
    },
    of: ['gateway'],
  },
  audiosplit_rate_limiter_degraded: {
    type: 'gauge',
    help: '1 while this gateway counts calls by itself because Redis does not answer.',
    labels: {},
    of: ['gateway'],
  },
  audiosplit_rate_limiter_degraded_calls_total: {
    type: 'counter',
    help: 'Calls that this gateway has counted by itself because Redis did not answer.',
    labels: {},
    of: ['gateway'],
  },
  audiosplit_gateway_dependency_failing: {
    type: 'gauge',
    help: '1 while this gateway does not get an answer from what its own answers hang on.',
    labels: { dependency: ['limiter', 'store', 'auth'] },
    of: ['gateway'],
  },
  audiosplit_rpc_server_duration_seconds: {
    type: 'histogram',
    help: 'Unary calls answered by a service.',
    labels: RPC_LABELS,
    of: SERVICES,
    buckets: ANSWER_SECONDS,
  },
  audiosplit_rpc_client_duration_seconds: {
    type: 'histogram',
    help: 'Unary calls made to a service, repetitions and refusals by the own bounds included.',
    labels: RPC_LABELS,
    of: ALL,
    buckets: ANSWER_SECONDS,
  },
  audiosplit_postgres_pool_connections: {
    type: 'gauge',
    help: 'Open connections of the pool.',
    labels: { schema: 'database schema of the service', state: ['busy', 'idle'] },
    of: WITH_DATABASE,
  },
  audiosplit_postgres_pool_max_connections: {
    type: 'gauge',
    help: 'Connections that the pool may open.',
    labels: { schema: 'database schema of the service' },
    of: WITH_DATABASE,
  },
  audiosplit_postgres_pool_waiting: {
    type: 'gauge',
    help: 'Queries and transactions that wait for a connection.',
    labels: { schema: 'database schema of the service' },
    of: WITH_DATABASE,
  },
  audiosplit_event_bus_lag_messages: {
    type: 'gauge',
    help: 'Messages of a topic that a consumer group has not consumed yet.',
    labels: { group: 'consumer group', topic: 'topic' },
    of: SERVICES,
    isShared: true,
  },
  audiosplit_event_bus_dead_letter_messages: {
    type: 'gauge',
    help: 'Messages that a consumer group has given up and that nobody has replayed or discarded.',
    labels: { group: 'consumer group', topic: 'topic' },
    of: SERVICES,
    isShared: true,
  },
  audiosplit_event_bus_consumed_total: {
    type: 'counter',
    help: 'Deliveries of messages to handlers. A failed one comes again; the last failure makes a dead letter.',
    labels: {
      group: 'consumer group',
      topic: 'topic',
      outcome: ['handled', 'failed', 'dead_lettered', 'handed_back'],
    },
    of: SERVICES,
  },
  audiosplit_event_bus_handler_duration_seconds: {
    type: 'histogram',
    help: 'How long handlers of messages take.',
    labels: { group: 'consumer group', topic: 'topic' },
    of: SERVICES,
    buckets: ANSWER_SECONDS,
  },
  audiosplit_event_bus_published_total: {
    type: 'counter',
    help: 'Messages given to the bus. What has failed stays in the outbox and is given again.',
    labels: { topic: 'topic', outcome: ['published', 'failed'] },
    of: WITH_OUTBOX,
  },
  audiosplit_outbox_backlog_messages: {
    type: 'gauge',
    help: 'Events that have happened and are not on the bus yet.',
    labels: { schema: 'database schema of the service' },
    of: WITH_OUTBOX,
    isShared: true,
  },
  audiosplit_outbox_oldest_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest of them has waited; 0 where none does.',
    labels: { schema: 'database schema of the service' },
    of: WITH_OUTBOX,
    isShared: true,
  },
  audiosplit_jobs_queued: {
    type: 'gauge',
    help: 'Jobs that nobody has begun.',
    labels: {},
    of: ['jobs'],
    isShared: true,
  },
  audiosplit_jobs_processing: {
    type: 'gauge',
    help: 'Jobs that have been begun and have not ended.',
    labels: {},
    of: ['jobs'],
    isShared: true,
  },
  audiosplit_jobs_runnable: {
    type: 'gauge',
    help: 'Queued jobs that could run now: of each account as many as its cap leaves room for. More splitters would take them.',
    labels: {},
    of: ['jobs'],
    isShared: true,
  },
  audiosplit_jobs_oldest_runnable_age_seconds: {
    type: 'gauge',
    help: 'How long the one of them that has waited longest has done so, since its creation or since a job of its account was completed; 0 where none waits.',
    labels: {},
    of: ['jobs'],
    isShared: true,
  },
  audiosplit_job_wait_duration_seconds: {
    type: 'histogram',
    help: 'From the creation of a job to its first claim by a splitter.',
    labels: {},
    of: ['jobs'],
    buckets: WAIT_SECONDS,
  },
  audiosplit_job_duration_seconds: {
    type: 'histogram',
    help: 'From the creation of a job to its end.',
    labels: { outcome: ['completed', 'failed'], output_format: [...OUTPUT_FORMATS, 'unknown'] },
    of: ['jobs'],
    buckets: JOB_SECONDS,
  },
  audiosplit_job_failures_total: {
    type: 'counter',
    help: 'Jobs that have failed. INTERNAL_ERROR is our own fault, CANCELED the wish of the owner.',
    labels: { code: 'error code of the job' },
    of: ['jobs'],
  },
  audiosplit_job_source_seconds_total: {
    type: 'counter',
    help: 'Seconds of audio in the sources of completed jobs.',
    labels: { output_format: OUTPUT_FORMATS },
    of: ['jobs'],
  },
  audiosplit_job_leases_reaped_total: {
    type: 'counter',
    help: 'Jobs and parts that stood still, as their lease had run out or their offer was lost.',
    labels: { outcome: ['offered', 'failed'] },
    of: ['jobs'],
  },
  audiosplit_job_attempt_duration_seconds: {
    type: 'histogram',
    help: 'Attempts of a splitter at a job or a part of one.',
    labels: {
      work: ['job', 'part'],
      outcome: ['done', 'failed', 'released', 'indivisible', 'ended', 'lost'],
    },
    of: ['splitter'],
    buckets: JOB_SECONDS,
  },
  audiosplit_job_leases_lost_total: {
    type: 'counter',
    help: 'Attempts dropped because another worker has the job by now, or because no renewal got through.',
    labels: {},
    of: ['splitter'],
  },
  audiosplit_splitter_slots: {
    type: 'gauge',
    help: 'Jobs that this splitter works on at most at the same time.',
    labels: {},
    of: ['splitter'],
  },
  audiosplit_splitter_slots_busy: {
    type: 'gauge',
    help: 'Slots that are taken.',
    labels: {},
    of: ['splitter'],
  },
  audiosplit_splitter_scratch_free_bytes: {
    type: 'gauge',
    help: 'Room in the scratch folder: what its file system has left, or what SCRATCH_LIMIT_BYTES leaves of it if that is less.',
    labels: {},
    of: ['splitter'],
  },
  audiosplit_webhook_deliveries_total: {
    type: 'counter',
    help: 'Attempts to deliver a notification, by what became of the delivery.',
    labels: { outcome: ['delivered', 'retried', 'failed', 'handed_back'] },
    of: ['webhooks'],
  },
  audiosplit_webhook_attempt_duration_seconds: {
    type: 'histogram',
    help: 'How long receivers take to answer; `none` without an answer.',
    labels: { status_class: ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] },
    of: ['webhooks'],
    buckets: WEBHOOK_SECONDS,
  },
  audiosplit_scheduled_task_duration_seconds: {
    type: 'histogram',
    help: 'Runs of delayed and periodic work.',
    labels: {
      schema: 'database schema of the service',
      task: 'name of the task',
      outcome: ['done', 'failed'],
    },
    of: WITH_DATABASE,
    buckets: TASK_SECONDS,
  },
  audiosplit_trace_spans_started_total: {
    type: 'counter',
    help: 'Spans begun in sampled traces.',
    labels: {},
    of: ALL,
  },
  audiosplit_trace_spans_total: {
    type: 'counter',
    help: 'Spans that have ended, by what became of them: taken by the collector, not taken by it, or dropped as too many waited for it.',
    labels: { outcome: ['exported', 'failed', 'dropped'] },
    of: ALL,
  },
  audiosplit_process_info: {
    type: 'gauge',
    help: 'Always 1: which processes of the product a target is, to tell its figures from those of others.',
    labels: { process: PROCESS_NAMES },
    of: ALL,
  },
  audiosplit_metrics_read_failures_total: {
    type: 'counter',
    help: 'Gauges left out of a scrape because they could not be read.',
    labels: { metric: 'name of the gauge' },
    of: ALL,
  },
} as const satisfies Record<string, MetricDefinition>;

type Metrics = typeof METRICS;
export type MetricName = keyof Metrics;
type NamesOf<T extends MetricDefinition['type']> = {
  [N in MetricName]: Metrics[N]['type'] extends T ? N : never;
}[MetricName];
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** A listed label takes one of its values, any other a string. */
export type LabelsOf<N extends MetricName> = {
  readonly [L in keyof Metrics[N]['labels']]: Metrics[N]['labels'][L] extends readonly (infer V extends
    string)[]
    ? V
    : string;
};
