import { type CutRequest, toCutRequest } from '@audiosplit/proto/cut';
import { type Job, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { readCut } from '@audiosplit/proto/previous-cut';
import { ApiError } from '../http/errors/api-error.ts';
import { present } from '../mapping/messages.ts';

type JobState = Pick<Job, 'id' | 'status' | 'request' | 'segmentsExpiredAt'>;

/** Gives the job's cut. Throws 404 NOT_FOUND, 409 JOB_NOT_COMPLETED, 410 SEGMENTS_EXPIRED. */
export function requireSegments(job: JobState): CutRequest | undefined {
  const cut = toCutRequest(readCut(present(job.request, "a job's request")));
  if (cut?.dryRun === true) throw new ApiError('NOT_FOUND', `Job ${job.id} is a dry run: it has no files.`);
  if (job.request?.destination?.keepCopy === false) {
    throw new ApiError(
      'NOT_FOUND',
      `The segments of job ${job.id} lie in the bucket of its destination alone.`,
    );
  }
  requireResult(job);
  return cut;
}

/** Also of a dry run. Throws 409 JOB_NOT_COMPLETED, 410 SEGMENTS_EXPIRED. */
export function requireResult({ id, status, segmentsExpiredAt }: JobState): void {
  if (status === JobStatus.FAILED) {
    throw new ApiError('JOB_NOT_COMPLETED', `Job ${id} has failed: there are no segments.`);
  }
  if (status !== JobStatus.COMPLETED) {
    throw new ApiError('JOB_NOT_COMPLETED', `Job ${id} has not completed yet: wait until it has.`);
  }
  if (segmentsExpiredAt !== undefined) {
    throw new ApiError(
      'SEGMENTS_EXPIRED',
      `The segments of job ${id} have been removed: split the source again.`,
    );
  }
}
