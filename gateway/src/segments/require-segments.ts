import { type CutRequest, toCutRequest } from '@audiosplit/proto/cut';
import { type Job, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { readCut } from '@audiosplit/proto/previous-cut';
import { ApiError } from '../http/errors/api-error.ts';
import { present } from '../mapping/messages.ts';

/** Gives the job's cut. Throws 404 NOT_FOUND, 409 JOB_NOT_COMPLETED, 410 SEGMENTS_EXPIRED. */
export function requireSegments({
  id,
  status,
  request,
  segmentsExpiredAt,
}: Pick<Job, 'id' | 'status' | 'request' | 'segmentsExpiredAt'>): CutRequest | undefined {
  const cut = toCutRequest(readCut(present(request, "a job's request")));
  if (cut?.dryRun === true) throw new ApiError('NOT_FOUND', `Job ${id} is a dry run: it has no files.`);
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
  return cut;
}
