/** An account's job as shown to operators. */
import { jobStatuses } from '@audiosplit/proto/enum-words';
import type { Job } from '@audiosplit/proto/jobs/v1/jobs';
import { toIsoTime, toIsoTimeOrNull } from '../mapping/messages.ts';

export function fromProtoAccountJob(job: Job) {
  return {
    id: job.id,
    status: jobStatuses.toWord(job.status),
    sourceFileName: job.sourceFileName ?? null,
    sourceDurationMs: job.sourceDurationMs === undefined ? null : Number(job.sourceDurationMs),
    sourceSizeBytes: job.sourceSizeBytes === undefined ? null : Number(job.sourceSizeBytes),
    error: job.error === undefined ? null : { code: job.error.code, message: job.error.message },
    createdAt: toIsoTime(job.createdAt),
    endedAt: toIsoTimeOrNull(job.completedAt ?? job.failedAt),
  };
}
