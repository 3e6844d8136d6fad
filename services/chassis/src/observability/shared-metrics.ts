/** The metrics that several processes share, grouped by what a process has. */
import { type MetricDefinitions, RESPONSE_SECONDS } from './metric-definition.ts';
import { metersOf } from './metrics.ts';

const TASK_SECONDS = [0.01, 0.05, 0.25, 1, 5, 30, 120, 600];

const RPC_LABELS = {
  rpc_service: 'full name of the called service',
  rpc_method: 'method',
  rpc_code: '`ok`, or the Connect code of the failure',
} as const;

/** Of every process. */
export const PROCESS_METRICS = {
  audiosplit_rpc_client_duration_seconds: {
    type: 'histogram',
    help: 'Unary calls made to a service, repetitions and refusals by the own bounds included.',
    labels: RPC_LABELS,
    buckets: RESPONSE_SECONDS,
  },
  audiosplit_trace_spans_started_total: {
    type: 'counter',
    help: 'Spans begun in sampled traces.',
    labels: {},
  },
  audiosplit_trace_spans_total: {
    type: 'counter',
    help: 'Spans that have ended, by what became of them: taken by the collector, not taken by it, or dropped as too many waited for it.',
    labels: { outcome: ['exported', 'failed', 'dropped'] },
  },
  audiosplit_process_info: {
    type: 'gauge',
    help: 'Always 1: which processes of the product a target is, to tell its figures from those of others.',
    labels: { process: 'name of the process' },
  },
  audiosplit_metrics_read_failures_total: {
    type: 'counter',
    help: 'Gauges left out of a scrape because they could not be read.',
    labels: { metric: 'name of the gauge' },
  },
} as const satisfies MetricDefinitions;

/** For a process that serves calls and uses the bus. */
export const SERVICE_METRICS = {
  ...PROCESS_METRICS,
  audiosplit_rpc_server_duration_seconds: {
    type: 'histogram',
    help: 'Unary calls answered by a service.',
    labels: RPC_LABELS,
    buckets: RESPONSE_SECONDS,
  },
  audiosplit_event_bus_lag_messages: {
    type: 'gauge',
    help: 'Messages of a topic that a consumer group has not consumed yet.',
    labels: { group: 'consumer group', topic: 'topic' },
    isShared: true,
  },
  audiosplit_event_bus_dead_letter_messages: {
    type: 'gauge',
    help: 'Messages that a consumer group has given up and that have been neither replayed nor discarded.',
    labels: { group: 'consumer group', topic: 'topic' },
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
  },
  audiosplit_event_bus_handler_duration_seconds: {
    type: 'histogram',
    help: 'How long handlers of messages take.',
    labels: { group: 'consumer group', topic: 'topic' },
    buckets: RESPONSE_SECONDS,
  },
} as const satisfies MetricDefinitions;

/** For a service with a schema in Postgres. */
export const DATABASE_METRICS = {
  audiosplit_postgres_pool_connections: {
    type: 'gauge',
    help: 'Open connections of the pool.',
    labels: { schema: 'database schema of the service', state: ['busy', 'idle'] },
  },
  audiosplit_postgres_pool_max_connections: {
    type: 'gauge',
    help: 'Connections that the pool may open.',
    labels: { schema: 'database schema of the service' },
  },
  audiosplit_postgres_pool_waiting: {
    type: 'gauge',
    help: 'Queries and transactions that wait for a connection.',
    labels: { schema: 'database schema of the service' },
  },
  audiosplit_scheduled_task_duration_seconds: {
    type: 'histogram',
    help: 'Runs of delayed and periodic work.',
    labels: {
      schema: 'database schema of the service',
      task: 'name of the task',
      outcome: ['done', 'failed'],
    },
    buckets: TASK_SECONDS,
  },
} as const satisfies MetricDefinitions;

/** For a service that publishes events. */
export const OUTBOX_METRICS = {
  audiosplit_event_bus_published_total: {
    type: 'counter',
    help: 'Messages given to the bus. What has failed stays in the outbox and is given again.',
    labels: { topic: 'topic', outcome: ['published', 'failed'] },
  },
  audiosplit_outbox_backlog_messages: {
    type: 'gauge',
    help: 'Events that have happened and are not on the bus yet.',
    labels: { schema: 'database schema of the service' },
    isShared: true,
  },
  audiosplit_outbox_oldest_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest of them has waited; 0 where none does.',
    labels: { schema: 'database schema of the service' },
    isShared: true,
  },
} as const satisfies MetricDefinitions;

const ALL = { ...SERVICE_METRICS, ...DATABASE_METRICS, ...OUTBOX_METRICS };

export const { count, observeSince, expose } = metersOf(ALL);
