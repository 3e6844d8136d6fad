import { type Env, integer } from '@audiosplit/chassis/process/env';

export interface JobsConfig {
  readonly maxDatabaseConnections: number;
  /** How long a claim or a renewal holds. The splitter renews at a third of it. */
  readonly leaseMs: number;
  /** From the first claim to the end, all attempts together. */
  readonly wallClockLimitMs: number;
  readonly segmentRetentionMs: number;
  /** Interval between runs of the reaper. */
  readonly reapEveryMs: number;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

export function readJobsConfig(env: Env): JobsConfig {
  return {
    maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 2, 200),
    leaseMs: integer(env, 'JOB_LEASE_SECONDS', 30, 3, 300) * SECOND_MS,
    wallClockLimitMs: integer(env, 'JOB_WALL_CLOCK_LIMIT_SECONDS', 7_200, 60, 86_400) * SECOND_MS,
    segmentRetentionMs: integer(env, 'SEGMENT_RETENTION_DAYS', 7, 1, 3_650) * DAY_MS,
    reapEveryMs: integer(env, 'JOB_REAP_EVERY_SECONDS', 5, 1, 60) * SECOND_MS,
  };
}
