/** JobsService: calls of the gateway on behalf of an account. */

import type { Clock } from '@audiosplit/chassis/clock';
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { jobStatuses } from '@audiosplit/proto/enum-words';
import { JobSortField, type JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { requireBatch } from './batches/batch.ts';
import { cancelBatch } from './batches/cancel-batch.ts';
import { createBatch, retryBatch } from './batches/create-batch.ts';
import { JobNotFoundError } from './errors.ts';
import { segmentsKeptUntil } from './job.ts';
import {
  fromProtoDestination,
  fromProtoRequest,
  fromProtoSettings,
  fromProtoSource,
  fromProtoUpload,
  toProtoBatch,
  toProtoJob,
  toProtoProgress,
} from './proto-mapping.ts';
import { searchJobs } from './read/search-jobs.ts';
import { walkJobs } from './read/walk-jobs.ts';
import { cancelJob, type RemovalDependencies, removeJob } from './retention/delete-job.ts';
import { readSourceHeaders } from './source-headers.ts';
import { listBatchJobs } from './store/batches.ts';
import { findProgress, findShownJob } from './store/job/jobs.ts';
import { listJobs } from './store/read/list-jobs.ts';
import { recordUploads } from './store/uploads/uploads.ts';
import { type CreateJobDependencies, createJob } from './submit/create-job.ts';
import { type ReserveUploadDependencies, reserveUpload } from './uploads/reserve-upload.ts';
import { createResumableUploadRpc } from './uploads/resumable-upload-rpc.ts';
import type { Waveforms } from './waveform/read-waveform.ts';

const MAX_PAGE_SIZE = 100;
/** Bounds the offset. */
const MAX_PAGE = 1_000_000;
const MAX_FOLLOWED_JOBS = 1_000;
const MAX_REPORTED_UPLOADS = 1_000;

interface ReadDependencies {
  readonly clock: Clock;
  readonly segmentRetentionMs: number;
  readonly waveforms: Pick<Waveforms, 'read'>;
}

export function createJobsRpc(
  dependencies: CreateJobDependencies & RemovalDependencies & ReadDependencies & ReserveUploadDependencies,
): ServiceImpl<typeof JobsService> {
  const { pool, clock, segmentRetentionMs, waveforms } = dependencies;
  return {
    async createJob(request, context) {
      const { accountId } = requireAccount(context);
      const sourceHeaders = readSourceHeaders(request.sourceHeaders);
      const job = await createJob(dependencies, {
        accountId,
        request: fromProtoRequest(request.request, accountId, sourceHeaders),
        sourceHeaders,
        destination: fromProtoDestination(request.request?.destination),
        webhookUrl: request.webhookUrl,
        metadata: request.metadataJson,
      });
      return { job: toProtoJob(job) };
    },

    async getJob({ jobId, omitSegments }, context) {
      const { accountId } = requireAccount(context);
      const found = await findShownJob(pool, accountId, jobId, { omitDetails: omitSegments });
      if (found === undefined) throw new JobNotFoundError(jobId);
      const { job, segments, queuePosition } = found;
      const keptUntil = segmentsKeptUntil(job, segmentRetentionMs);
      if (keptUntil === undefined) return { job: toProtoJob(job, { queuePosition }) };
      // They expire at this second, not at the next sweep.
      if (keptUntil <= clock()) return { job: toProtoJob({ ...job, segmentsExpiredAt: keptUntil }) };
      return { job: toProtoJob(job, { segments, keptUntil }) };
    },

    getWaveform: ({ jobId }, context) => waveforms.read(requireAccount(context).accountId, jobId),

    async listJobs(request, context) {
      const { page, limit } = request;
      if (page < 1 || page > MAX_PAGE) throw new InvalidParamsError('page', `must be from 1 to ${MAX_PAGE}`);
      requirePageSize(limit);
      const { accountId } = requireAccount(context);
      const status = jobStatuses.toWord(request.status);
      const { batchId, canceled, ascending } = request;
      const offset = (page - 1) * limit;
      if (batchId !== undefined) {
        const jobsWanted = { accountId, batchId, status, canceled };
        const found = await listBatchJobs(pool, { ...jobsWanted, ascending, limit, offset });
        return { jobs: found.jobs.map((job) => toProtoJob(job)), total: BigInt(found.total) };
      }
      const { jobs, total } = await listJobs(pool, {
        accountId,
        status,
        sortBy: request.sortBy === JobSortField.COMPLETED_AT ? 'completedAt' : 'createdAt',
        ascending,
        limit,
        offset,
      });
      return { jobs: jobs.map((job) => toProtoJob(job)), total: BigInt(total) };
    },

    async searchJobs({ text, status, canceled, limit, pageToken }, context) {
      requirePageSize(limit);
      const found = await searchJobs(pool, {
        accountId: requireAccount(context).accountId,
        text,
        status: jobStatuses.toWord(status),
        canceled,
        limit,
        pageToken,
      });
      return {
        jobs: found.jobs.map((job) => toProtoJob(job)),
        nextPageToken: found.nextPageToken,
        ...(found.lookedBackTo === undefined ? {} : { lookedBackTo: timestampFromDate(found.lookedBackTo) }),
      };
    },

    async getProgress({ jobIds }) {
      if (jobIds.length > MAX_FOLLOWED_JOBS)
        throw new InvalidParamsError('jobIds', `must be at most ${MAX_FOLLOWED_JOBS}`);
      return { jobs: (await findProgress(pool, jobIds)).map(toProtoProgress) };
    },

    async deleteJob({ jobId }, context) {
      await removeJob(dependencies, requireAccount(context).accountId, jobId);
      return {};
    },

    async reserveUpload({ sizeBytes }, context) {
      const { accountId } = requireAccount(context);
      const size = sizeBytes === undefined ? undefined : Number(sizeBytes);
      const { uploadId, reservedAt } = await reserveUpload(dependencies, accountId, size);
      return { uploadId, reservedAt: timestampFromDate(reservedAt) };
    },

    ...createResumableUploadRpc(pool),

    async reportUploads({ uploads }) {
      if (uploads.length > MAX_REPORTED_UPLOADS)
        throw new InvalidParamsError('uploads', `must be at most ${MAX_REPORTED_UPLOADS}`);
      await recordUploads(pool, uploads.map(fromProtoUpload));
      return {};
    },

    async walkJobs({ pageToken, batchId }, context) {
      const { accountId } = requireAccount(context);
      const { jobs, nextPageToken } = await walkJobs(pool, accountId, pageToken, batchId);
      return { jobs: jobs.map(({ job, segments }) => toProtoJob(job, { segments })), nextPageToken };
    },

    async createBatch({ sources, request, webhookUrl, metadataJson }, context) {
      const { accountId } = requireAccount(context);
      const { cut, outputFormat } = fromProtoSettings(request);
      const settings = { accountId, cut, outputFormat, webhookUrl, metadata: metadataJson };
      const { batch, jobIds } = await createBatch(
        dependencies,
        settings,
        sources.map((source) => fromProtoSource(source, accountId)),
      );
      return { batch: toProtoBatch(batch), jobIds: [...jobIds] };
    },

    async getBatch({ batchId }, context) {
      const batch = await requireBatch(pool, requireAccount(context).accountId, batchId);
      return { batch: toProtoBatch(batch) };
    },

    async cancelBatch({ batchId }, context) {
      const batch = await cancelBatch(dependencies, requireAccount(context).accountId, batchId);
      return { batch: toProtoBatch(batch) };
    },

    async retryBatch({ batchId }, context) {
      const batch = await retryBatch(dependencies, requireAccount(context).accountId, batchId);
      return { batch: toProtoBatch(batch) };
    },

    async cancelJob({ jobId }, context) {
      return { job: toProtoJob(await cancelJob(dependencies, requireAccount(context).accountId, jobId)) };
    },
  };
}

function requirePageSize(limit: number): void {
  if (limit < 1 || limit > MAX_PAGE_SIZE)
    throw new InvalidParamsError('limit', `must be from 1 to ${MAX_PAGE_SIZE}`);
}
