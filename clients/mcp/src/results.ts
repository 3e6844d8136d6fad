/** Results that fit into an agent's context: what a next step needs, and links instead of bytes. */
import type { Job, JobRow } from '@audiosplit/client';
import { REMEDIES } from './generated/remedies.ts';
import type { LocalPlan } from './local-engine.ts';

/** A link is some 250 characters. */
export const MAX_SEGMENTS = 50;

export function describeJob(job: Job, from = 0): object {
  const { id: jobId, status, splitMode } = job;
  switch (job.status) {
    case 'queued':
      return { jobId, status, splitMode, next: `Call get_job with ${jobId} until it has ended.` };
    case 'processing': {
      const { progress, phase } = job;
      return {
        jobId,
        status,
        splitMode,
        progress,
        phase,
        next: `Call get_job with ${jobId} until it has ended.`,
      };
    }
    case 'failed': {
      const { error } = job;
      return { jobId, status, splitMode, error: { ...error, remedy: REMEDIES[error.code] } };
    }
    case 'completed': {
      const { sourceDuration, sourceDurationIsEstimate, outputFormat, dryRun, segmentsExpiredAt } = job;
      const links = job.segments[0]?.expiresAt;
      return {
        jobId,
        status,
        splitMode,
        ...(dryRun === true ? { dryRun } : {}),
        outputFormat,
        sourceDuration,
        ...(sourceDurationIsEstimate === true ? { sourceDurationIsEstimate } : {}),
        ...(segmentsExpiredAt === undefined ? {} : { segmentsExpiredAt }),
        ...(links === undefined ? {} : { linksExpireAt: links }),
        ...pageOfSegments(
          job.segments.map(({ expiresAt, contentStart, cut, ...segment }) => segment),
          from,
          (next) => `Call get_job with ${jobId} and fromSegment ${next} for the next segments.`,
        ),
      };
    }
    default:
      return job satisfies never;
  }
}

export function describeRow({ id, status, splitMode, segmentCount, createdAt, ...row }: JobRow): object {
  const { sourceFileName, error } = row;
  return { jobId: id, status, splitMode, sourceFileName, segmentCount, createdAt, error };
}

export function describeLocal({ segments, ...plan }: LocalPlan): object {
  return { ...plan, ...pageOfSegments(segments, 0, () => 'The others follow in the same way.') };
}

function pageOfSegments<Segment>(
  segments: readonly Segment[],
  from: number,
  more: (next: number) => string,
): object {
  const end = from + MAX_SEGMENTS;
  return {
    segmentCount: segments.length,
    segments: segments.slice(from, end),
    ...(segments.length > end ? { next: more(end) } : {}),
  };
}
