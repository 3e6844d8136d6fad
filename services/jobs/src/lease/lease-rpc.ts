/** JobLeaseService: the lease protocol, for splitters. */

import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { requireService } from '@audiosplit/chassis/rpc/identity';
import { outputFormats } from '@audiosplit/proto/enum-words';
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { ServiceImpl } from '@connectrpc/connect';
import { divide } from '../parts/divide-job.ts';
import { faultOfParts } from '../parts/part.ts';
import {
  fromProtoFetching,
  fromProtoSegment,
  fromProtoSourceUse,
  toProtoRequest,
  toProtoSourceUse,
} from '../proto-mapping.ts';
import { findOverdueOffers } from '../queue/overdue-offers.ts';
import { findLeasesOver } from '../store/held-leases.ts';
import { claim, complete, fail, type LeaseDependencies, release, renew } from './lease.ts';
import { claimPart, completePart, failPart, rejoin, releasePart, renewPart } from './part-lease.ts';

const SPLITTER = 'splitter';
const MAX_CHECKED_LEASES = 1_000;
const MAX_OFFERS = 100;

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
        staysWhole: job.staysWhole,
        sourceUse: toProtoSourceUse(job.sourceUse),
        trace: job.trace,
        ...(maxSourceDurationMs === undefined ? {} : { maxSourceDurationMs: BigInt(maxSourceDurationMs) }),
      };
    },

    async findOverdueOffers({ limit }, context) {
      requireService(context, SPLITTER);
      if (limit < 1 || limit > MAX_OFFERS)
        throw new InvalidParamsError('limit', `must be from 1 to ${MAX_OFFERS}`);
      return { offers: await findOverdueOffers(dependencies.pool, limit) };
    },

    async renewLease({ jobId, part, fence, progressPercent, sourceUse, fetching }, context) {
      requireService(context, SPLITTER);
      const percent = Math.min(100, Math.max(0, progressPercent));
      if (part === undefined) {
        await renew(dependencies, jobId, Number(fence), {
          progressPercent: percent,
          sourceUse: fromProtoSourceUse(sourceUse),
          fetching: fetching && fromProtoFetching(fetching),
        });
      } else await renewPart(dependencies, jobId, part, Number(fence), percent);
      return { leaseMs: dependencies.leaseMs };
    },

    async checkLeases({ leases }, context) {
      requireService(context, SPLITTER);
      if (leases.length > MAX_CHECKED_LEASES)
        throw new InvalidParamsError('leases', `must be at most ${MAX_CHECKED_LEASES}`);
      const asked = leases.map(({ jobId, fence, part }) => ({ jobId, fence: Number(fence), part }));
      const over = await findLeasesOver(dependencies.pool, asked);
      return { over: over.map((lease) => ({ ...lease, fence: BigInt(lease.fence) })) };
    },

    async completeJob(request, context) {
      requireService(context, SPLITTER);
      const outputFormat = outputFormats.toWord(request.outputFormat);
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

    async failJob({ jobId, part, fence, error, retryable, sourceUse }, context) {
      requireService(context, SPLITTER);
      if (error === undefined || error.code === '') throw new InvalidParamsError('error', 'is required');
      const { code, message } = error;
      if (part === undefined)
        await fail(dependencies, jobId, Number(fence), {
          error: { code, message },
          retryable,
          sourceUse: fromProtoSourceUse(sourceUse),
        });
      else await failPart(dependencies, jobId, part, Number(fence), { code, message }, retryable);
      return {};
    },

    async releaseJob({ jobId, part, fence, asWhole, sourceUse }, context) {
      requireService(context, SPLITTER);
      if (part === undefined)
        await release(dependencies, jobId, Number(fence), fromProtoSourceUse(sourceUse));
      else if (asWhole) await rejoin(dependencies, jobId, part, Number(fence));
      else await releasePart(dependencies, jobId, part, Number(fence));
      return {};
    },

    async divideJob(request, context) {
      requireService(context, SPLITTER);
      const outputFormat = outputFormats.toWord(request.outputFormat);
      if (outputFormat === undefined) throw new InvalidParamsError('outputFormat', 'is required');
      const fault = faultOfParts(request.parts);
      if (fault !== undefined) throw new InvalidParamsError('parts', fault);
      const outcome = {
        outputFormat,
        sourceFileName: request.sourceFileName,
        sourceDurationMs: Number(request.sourceDurationMs),
        sourceSizeBytes: Number(request.sourceSizeBytes),
      };
      await divide(dependencies, request.jobId, Number(request.fence), outcome, request.parts);
      return {};
    },

    async claimPart({ jobId, part: index, workerId }, context) {
      requireService(context, SPLITTER);
      const { part, job, division, wallClockLeftMs } = await claimPart(dependencies, jobId, index, workerId);
      return {
        part: part.index,
        fence: BigInt(part.fence),
        jobFence: BigInt(job.fence),
        attempt: part.attempts,
        leaseMs: dependencies.leaseMs,
        wallClockLeftMs: BigInt(wallClockLeftMs),
        specJson: part.specJson,
        sourceFileName: division.sourceFileName,
        segmentCount: division.segmentCount,
        trace: job.trace,
      };
    },

    async completePart({ jobId, part, fence, segments }, context) {
      requireService(context, SPLITTER);
      await completePart(dependencies, jobId, part, Number(fence), segments.map(fromProtoSegment));
      return {};
    },
  };
}
