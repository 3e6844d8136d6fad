/** The metrics of every process. Used by the embedded run, which shows all of them, and by docs/reference/metrics.md. */
import { METRICS as ACCOUNT } from '@audiosplit/account/metrics';
import { METRICS as AUTH } from '@audiosplit/auth/metrics';
import { METRICS as BILLING } from '@audiosplit/billing/metrics';
import type { MetricDefinitions } from '@audiosplit/chassis/observability/metric-definition';
import { METRICS as GATEWAY } from '@audiosplit/gateway/metrics';
import { METRICS as JOBS } from '@audiosplit/jobs/metrics';
import { METRICS as SPLITTER } from '@audiosplit/splitter/metrics';
import { METRICS as WEBHOOKS } from '@audiosplit/webhooks/metrics';

export const METRICS_OF = {
  gateway: GATEWAY,
  account: ACCOUNT,
  auth: AUTH,
  billing: BILLING,
  jobs: JOBS,
  splitter: SPLITTER,
  webhooks: WEBHOOKS,
} as const satisfies Record<string, MetricDefinitions>;

export type ProcessName = keyof typeof METRICS_OF;
export const PROCESS_NAMES = Object.keys(METRICS_OF) as ProcessName[];

const ALL = { ...GATEWAY, ...ACCOUNT, ...AUTH, ...BILLING, ...JOBS, ...SPLITTER, ...WEBHOOKS };

/** The chassis does not know the names of the processes; they are set here. */
export const METRICS = {
  ...ALL,
  audiosplit_process_info: { ...ALL.audiosplit_process_info, labels: { process: PROCESS_NAMES } },
} satisfies MetricDefinitions;
export type MetricName = keyof typeof METRICS;
