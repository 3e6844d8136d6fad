import type { Env } from '@audiosplit/chassis/process/env';
import { maxDatabaseConnections } from '@audiosplit/chassis/process/process-config';
import { integer, readSettings } from '@audiosplit/chassis/process/settings';
import type { UploadBounds } from './uploads/reserve-upload.ts';

export const SETTINGS = {
  DATABASE_MAX_CONNECTIONS: maxDatabaseConnections(2),
  JOB_LEASE_SECONDS: integer({
    what: 'how long a claim or a renewal of a job lasts; splitters renew after a third of it',
    default: 30,
    min: 3,
    max: 300,
    chart: 'jobs.leaseSeconds',
  }),
  JOB_WALL_CLOCK_LIMIT_SECONDS: integer({
    what: 'limit from the first claim of a job to its end, all attempts together',
    default: 7_200,
    min: 60,
    max: 86_400,
    chart: 'jobs.wallClockLimitSeconds',
  }),
  SEGMENT_RETENTION_DAYS: integer({
    what: 'how long segments are kept',
    default: 7,
    min: 1,
    max: 3_650,
    chart: 'jobs.segmentRetentionDays',
  }),
  UPLOADS_PER_CONCURRENT_JOB: integer({
    what: 'concurrent uploads of an account, for each concurrent job of its plan',
    default: 2,
    min: 1,
    max: 1_000,
    bound: { metric: '`audiosplit_uploads_receiving`', beyond: '429 `UPLOAD_LIMIT_REACHED`' },
  }),
  UNUSED_UPLOADS_PER_FILE_SIZE: integer({
    what: "maximum bytes of an account's uploads that no job uses yet, in multiples of its plan's largest file",
    default: 2,
    min: 1,
    max: 1_000,
    bound: { metric: '`audiosplit_uploads_unused_bytes`', beyond: '429 `UPLOAD_LIMIT_REACHED`' },
  }),
  WAVEFORM_MAX_SECONDS: integer({
    what: 'how long drawing the waveform of a job may take; one at a time per account',
    default: 60,
    min: 1,
    max: 60,
    bound: {
      metric: '`audiosplit_splitter_waveforms_total`',
      beyond: '404 `NOT_FOUND`; while another one is drawn, 202',
    },
  }),
  CONNECTIONS_PER_ACCOUNT: integer({
    what: 'connections to buckets that an account may have',
    default: 20,
    min: 0,
    max: 1_000,
    bound: { metric: '`audiosplit_connections`', beyond: '409 `CONNECTION_LIMIT_REACHED`' },
  }),
  JOB_REAP_EVERY_SECONDS: integer({
    what: 'interval between searches for jobs whose lease has ended',
    default: 5,
    min: 1,
    max: 60,
    chart: 'jobs.reapEverySeconds',
  }),
};

export interface JobsConfig {
  readonly maxDatabaseConnections: number;
  /** How long a claim or a renewal lasts. The splitter renews after a third of it. */
  readonly leaseMs: number;
  /** From the first claim to the end, all attempts together. */
  readonly wallClockLimitMs: number;
  readonly segmentRetentionMs: number;
  readonly uploads: UploadBounds;
  readonly maxDrawingMs: number;
  /** Of an account. */
  readonly maxConnections: number;
  /** Interval between runs of the reaper. */
  readonly reapEveryMs: number;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

export function readJobsConfig(env: Env): JobsConfig {
  const values = readSettings(SETTINGS, env);
  return {
    maxDatabaseConnections: values.DATABASE_MAX_CONNECTIONS,
    leaseMs: values.JOB_LEASE_SECONDS * SECOND_MS,
    wallClockLimitMs: values.JOB_WALL_CLOCK_LIMIT_SECONDS * SECOND_MS,
    segmentRetentionMs: values.SEGMENT_RETENTION_DAYS * DAY_MS,
    maxDrawingMs: values.WAVEFORM_MAX_SECONDS * SECOND_MS,
    maxConnections: values.CONNECTIONS_PER_ACCOUNT,
    uploads: {
      perConcurrentJob: values.UPLOADS_PER_CONCURRENT_JOB,
      unusedPerFileSize: values.UNUSED_UPLOADS_PER_FILE_SIZE,
    },
    reapEveryMs: values.JOB_REAP_EVERY_SECONDS * SECOND_MS,
  };
}
