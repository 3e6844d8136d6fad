/** What the jobs service measures. */
import {
  LONG_WORK_SECONDS,
  type MetricDefinitions,
} from '@audiosplit/chassis/observability/metric-definition';
import { metersOf } from '@audiosplit/chassis/observability/metrics';
import {
  DATABASE_METRICS,
  OUTBOX_METRICS,
  SERVICE_METRICS,
} from '@audiosplit/chassis/observability/shared-metrics';
import { OUTPUT_FORMATS } from '@audiosplit/proto/vocabulary';

const WAIT_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

export const METRICS = {
  ...SERVICE_METRICS,
  ...DATABASE_METRICS,
  ...OUTBOX_METRICS,
  audiosplit_jobs_queued: {
    type: 'gauge',
    help: 'Jobs that no splitter has started.',
    labels: {},
    isShared: true,
  },
  audiosplit_jobs_processing: {
    type: 'gauge',
    help: 'Jobs that have started and not ended.',
    labels: {},
    isShared: true,
  },
  audiosplit_jobs_runnable: {
    type: 'gauge',
    help: 'Queued jobs that could run now, counted for each account up to its cap. Additional splitters would take them.',
    labels: {},
    isShared: true,
  },
  audiosplit_jobs_oldest_runnable_age_seconds: {
    type: 'gauge',
    help: 'Longest waiting time of a job that could run now, since its creation or since a job of its account was completed; 0 if none waits.',
    labels: {},
    isShared: true,
  },
  audiosplit_uploads_receiving: {
    type: 'gauge',
    help: 'Uploads in progress of the account with the most.',
    labels: {},
    isShared: true,
  },
  audiosplit_uploads_unused_bytes: {
    type: 'gauge',
    help: 'Bytes of uploads that no job uses yet, including announced ones, of the account with the most.',
    labels: {},
    isShared: true,
  },
  audiosplit_connections: {
    type: 'gauge',
    help: 'Connections to buckets of the account with the most.',
    labels: {},
    isShared: true,
  },
  audiosplit_reserved_source_seconds: {
    type: 'gauge',
    help: 'Seconds of source that running jobs have reserved from the minutes of their accounts.',
    labels: {},
    isShared: true,
  },
  audiosplit_accounts_awaiting_minutes: {
    type: 'gauge',
    help: 'Accounts with a job that waits for minutes held by other jobs of the account.',
    labels: {},
    isShared: true,
  },
  audiosplit_job_wait_duration_seconds: {
    type: 'histogram',
    help: 'From the creation of a job to its first claim by a splitter.',
    labels: {},
    buckets: WAIT_SECONDS,
  },
  audiosplit_job_duration_seconds: {
    type: 'histogram',
    help: 'From the creation of a job to its end.',
    labels: { outcome: ['completed', 'failed'], output_format: [...OUTPUT_FORMATS, 'unknown'] },
    buckets: LONG_WORK_SECONDS,
  },
  audiosplit_job_failures_total: {
    type: 'counter',
    help: 'Jobs that have failed. INTERNAL_ERROR is our own fault, CANCELED a request of the owner.',
    labels: { code: 'error code of the job' },
  },
  audiosplit_job_source_seconds_total: {
    type: 'counter',
    help: 'Seconds of audio in the sources of completed jobs.',
    labels: { output_format: OUTPUT_FORMATS },
  },
  audiosplit_job_leases_reaped_total: {
    type: 'counter',
    help: 'Stalled jobs and parts, whose lease had expired or whose offer was lost: offered again, failed, or not handled because of an error, which is tried again.',
    labels: { outcome: ['offered', 'failed', 'error'] },
  },
} as const satisfies MetricDefinitions;

export const { count, expose, observe } = metersOf(METRICS);
