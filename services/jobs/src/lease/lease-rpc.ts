/** JobLeaseService: the lease protocol, for splitters. */

import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { outputFormats } from '@audiosplit/proto/enum-words';
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { ServiceImpl } from '@connectrpc/connect';
import { reserveMinutes } from '../minutes/reserve-minutes.ts';
import { withinReservation } from '../minutes/within-reservation.ts';
import { divide, undivide } from '../parts/divide-job.ts';
import { faultOfParts } from '../parts/part.ts';
import {
  fromProtoFetching,
  fromProtoLoudness,
  fromProtoSegment,
  fromProtoSourceUse,
  toProtoRequest,
  toProtoSourceUse,
} from '../proto-mapping.ts';
import { findOverdueOffers } from '../queue/overdue-offers.ts';
import { findLeasesOver } from '../store/lease/held-leases.ts';
import { findFirstOffers } from '../store/lease/leases.ts';
import { claimJob, claimPart } from './claim.ts';
import { completeJob, completePart, fail, type LeaseDependencies, release, renew } from './lease.ts';

const MAX_CHECKED_LEASES = 1_000;
const MAX_OFFERS = 100;

export function createLeaseRpc(dependencies: LeaseDependencies): ServiceImpl<typeof JobLeaseService> {
  return {
    async claimJob({ jobId, ...claimant }) {
      const claim = await claimJob(dependencies, jobId, claimant);
      const { job, wallClockLeftMs, maxSourceBytes, maxSourceDurationMs, maxOutputBytes, ...secrets } = claim;
      return {
        request: toProtoRequest(job.request),
        accountId: job.accountId,
        fence: BigInt(job.fence),
        attempt: job.attempts,
        leaseMs: dependencies.leaseMs,
        wallClockLeftMs: BigInt(wallClockLeftMs),
        maxSourceBytes: BigInt(maxSourceBytes),
        staysWhole: job.isIndivisible,
        sourceUse: toProtoSourceUse(job.sourceUse),
        trace: job.trace,
        sourceHeaders: secrets.sourceHeaders,
        ...(secrets.sourceObject === undefined ? {} : { sourceObject: secrets.sourceObject }),
        ...(secrets.destinationBucket === undefined ? {} : { destinationBucket: secrets.destinationBucket }),
        reservesMinutes: job.reservedMs !== undefined,
        ...(maxSourceDurationMs === undefined ? {} : { maxSourceDurationMs: BigInt(maxSourceDurationMs) }),
        ...(maxOutputBytes === undefined ? {} : { maxOutputBytes: BigInt(maxOutputBytes) }),
      };
    },

    async findOverdueOffers({ limit }) {
      checkLimit(limit);
      return { offers: await findOverdueOffers(dependencies.pool, limit) };
    },

    async findFirstOffers({ limit }) {
      checkLimit(limit);
      return { offers: await findFirstOffers(dependencies.pool, limit) };
    },

    async renewLease({ jobId, part, fence, progressPercent, sourceUse, fetching }) {
      await renew(
        dependencies,
        { jobId, part, fence: Number(fence) },
        {
          progressPercent: Math.min(100, Math.max(0, progressPercent)),
          sourceUse: fromProtoSourceUse(sourceUse),
          fetching: fetching && fromProtoFetching(fetching),
        },
      );
      return { leaseMs: dependencies.leaseMs };
    },

    async reserveMinutes({ jobId, fence, neededMs }) {
      if (neededMs < 0n) throw new InvalidParamsError('neededMs', 'must not be negative');
      const lease = { jobId, fence: Number(fence) };
      return { granted: await reserveMinutes(dependencies, lease, Number(neededMs)) };
    },

    async checkLeases({ leases }) {
      if (leases.length > MAX_CHECKED_LEASES)
        throw new InvalidParamsError('leases', `must be at most ${MAX_CHECKED_LEASES}`);
      const held = leases.map(({ jobId, fence, part }) => ({ jobId, fence: Number(fence), part }));
      const over = await findLeasesOver(dependencies.pool, held);
      return { over: over.map((lease) => ({ ...lease, fence: BigInt(lease.fence) })) };
    },

    async completeJob(request) {
      const outputFormat = outputFormats.toWord(request.outputFormat);
      if (outputFormat === undefined) throw new InvalidParamsError('outputFormat', 'is required');
      const { jobId } = request;
      const fence = Number(request.fence);
      const outcome = {
        segments: request.segments.map(fromProtoSegment),
        outputFormat,
        sourceFileName: request.sourceFileName,
        sourceDurationMs: Number(request.sourceDurationMs),
        isSourceDurationEstimate: request.sourceDurationIsEstimate,
        sourceSizeBytes: Number(request.sourceSizeBytes),
        meteredMs: request.meteredMs === undefined ? undefined : Math.max(0, Number(request.meteredMs)),
        loudness: request.loudness && fromProtoLoudness(request.loudness),
      };
      await withinReservation(dependencies, jobId, fence, () =>
        completeJob(dependencies, jobId, fence, outcome),
      );
      return {};
    },

    async failJob({ jobId, part, fence, error, retryable, sourceUse }) {
      if (error === undefined || error.code === '') throw new InvalidParamsError('error', 'is required');
      const { code, message } = error;
      await fail(
        dependencies,
        { jobId, part, fence: Number(fence) },
        { error: { code, message }, retryable, sourceUse: fromProtoSourceUse(sourceUse) },
      );
      return {};
    },

    async releaseJob({ jobId, part, fence, asWhole, sourceUse }) {
      const lease = { jobId, part, fence: Number(fence) };
      if (part !== undefined && asWhole) await undivide(dependencies, jobId, part, lease.fence);
      else await release(dependencies, lease, fromProtoSourceUse(sourceUse));
      return {};
    },

    async divideJob(request) {
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
      const { jobId, parts } = request;
      const fence = Number(request.fence);
      await withinReservation(dependencies, jobId, fence, () =>
        divide(dependencies, jobId, fence, { outcome, parts }),
      );
      return {};
    },

    async claimPart({ jobId, part: index, workerId }) {
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

    async completePart({ jobId, part, fence, segments }) {
      await completePart(dependencies, { jobId, part, fence: Number(fence) }, segments.map(fromProtoSegment));
      return {};
    },
  };
}

function checkLimit(limit: number): void {
  if (limit < 1 || limit > MAX_OFFERS)
    throw new InvalidParamsError('limit', `must be from 1 to ${MAX_OFFERS}`);
}
