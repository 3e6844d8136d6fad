/** JobLeaseService: the lease protocol, for splitters. */

import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { requireService } from '@audiosplit/chassis/rpc/identity';
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { ServiceImpl } from '@connectrpc/connect';
import { claim, complete, fail, type LeaseDependencies, release, renew } from './lease.ts';
import { fromProtoFormat, fromProtoSegment, toProtoRequest } from './proto-mapping.ts';

const SPLITTER = 'splitter';

export function createLeaseRpc(dependencies: LeaseDependencies): ServiceImpl<typeof JobLeaseService> {
  return {
    async claimJob({ jobId, workerId }, context) {
      requireService(context, SPLITTER);
      const { job, wallClockLeftMs, maxSourceBytes, maxSourceDurationMs } = await claim(
        dependencies,
        jobId,
        workerId,
      );
      return {
        request: toProtoRequest(job.request),
        accountId: job.accountId,
        fence: BigInt(job.fence),
        attempt: job.attempts,
        leaseMs: dependencies.leaseMs,
        wallClockLeftMs: BigInt(wallClockLeftMs),
        maxSourceBytes: BigInt(maxSourceBytes),
        ...(maxSourceDurationMs === undefined ? {} : { maxSourceDurationMs: BigInt(maxSourceDurationMs) }),
      };
    },

    async renewLease({ jobId, fence, progressPercent }, context) {
      requireService(context, SPLITTER);
      await renew(dependencies, jobId, Number(fence), Math.min(100, Math.max(0, progressPercent)));
      return { leaseMs: dependencies.leaseMs };
    },

    async completeJob(request, context) {
      requireService(context, SPLITTER);
      const outputFormat = fromProtoFormat(request.outputFormat);
      if (outputFormat === undefined) throw new InvalidParamsError('outputFormat', 'is required');
      await complete(dependencies, request.jobId, Number(request.fence), {
        segments: request.segments.map(fromProtoSegment),
        outputFormat,
        sourceFileName: request.sourceFileName,
        sourceDurationMs: Number(request.sourceDurationMs),
        sourceSizeBytes: Number(request.sourceSizeBytes),
      });
      return {};
    },

    async failJob({ jobId, fence, error, retryable }, context) {
      requireService(context, SPLITTER);
      if (error === undefined || error.code === '') throw new InvalidParamsError('error', 'is required');
      await fail(dependencies, jobId, Number(fence), { code: error.code, message: error.message }, retryable);
      return {};
    },

    async releaseJob({ jobId, fence }, context) {
      requireService(context, SPLITTER);
      await release(dependencies, jobId, Number(fence));
      return {};
    },
  };
}
