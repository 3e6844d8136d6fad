/**
 * Metrics of a job's life. They are counted inside the transaction that ends the job, directly before it
 * commits; in the rare case of a rollback they count one too many.
 */
import { systemClock } from '@audiosplit/chassis/clock';
import { isMeasured } from '@audiosplit/chassis/observability/metrics';
import type { Job, JobError, JobOutcome } from './job.ts';
import { count, observe } from './metrics.ts';

/** Called at the first claim. */
export function measureWait(job: Job, claimedAt: Date): void {
  observe('audiosplit_job_wait_duration_seconds', {}, secondsBetween(job.createdAt, claimedAt));
}

export function measureSuccess(job: Job, { outputFormat, sourceDurationMs }: JobOutcome): void {
  if (!isMeasured()) return;
  const labels = { outcome: 'completed', output_format: outputFormat } as const;
  observe('audiosplit_job_duration_seconds', labels, secondsBetween(job.createdAt, endOf(job)));
  count('audiosplit_job_source_seconds_total', { output_format: outputFormat }, sourceDurationMs / 1_000);
}

export function measureFailure(job: Job, { code }: JobError): void {
  if (!isMeasured()) return;
  const labels = { outcome: 'failed', output_format: job.request.outputFormat ?? 'unknown' } as const;
  observe('audiosplit_job_duration_seconds', labels, secondsBetween(job.createdAt, endOf(job)));
  count('audiosplit_job_failures_total', { code });
}

function endOf({ completedAt, failedAt }: Job): Date {
  return completedAt ?? failedAt ?? systemClock();
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / 1_000;
}
