/**
 * One attempt at one claimed job: fetch, split, store, report.
 *
 * The attempt ends in exactly one of: completed, failed, released (the process drains), ended (the job's owner has
 * canceled or removed it), lost (another worker has the job). A word to the jobs service that does not get through is repeated while the lease
 * may still live; if it never does, the lease runs out and the job is given to another worker.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@audiosplit/chassis/log';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import {
  type ClaimJobResponse,
  type JobLeaseService,
  OutputFormat as ProtoFormat,
  SplitMode,
} from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';
import {
  type Cut,
  MediaError,
  type OutputFormat,
  type SplitOptions,
  type SplitResult,
} from '../media/media.ts';
import type { OpenSource, SourceOptions } from '../source/fetch-source.ts';
import { endOfAttempt, OutOfTimeError } from './job-failure.ts';
import { EndedByOwnerError, keepLease, leaseLossOf } from './lease-keeper.ts';
import { segmentFileName } from './segment-name.ts';
import { type StoredSegment, storeSegment, toMs } from './segment-upload.ts';

export interface JobRunner {
  readonly leases: Client<typeof JobLeaseService>;
  readonly store: ObjectStore;
  readonly openSource: (url: string, options: SourceOptions) => Promise<OpenSource>;
  readonly split: (options: SplitOptions) => Promise<SplitResult>;
  readonly scratchDir: string;
  readonly ffmpegPath: string;
  readonly log: Logger;
}

/** Never rejects: how it ended is told to the jobs service and to the log. `drain` aborts with DrainingError. */
export async function runJob(
  runner: JobRunner,
  jobId: string,
  claim: ClaimJobResponse,
  drain: AbortSignal,
): Promise<void> {
  const { leases, log } = runner;
  const { fence } = claim;
  const jobLog = log.child({ jobId, fence: Number(fence), attempt: claim.attempt });
  await using lease = keepLease({ leases, jobId, fence, leaseMs: claim.leaseMs });
  using outOfTime = abortAfter(Number(claim.wallClockLeftMs));
  const signal = AbortSignal.any([lease.signal, drain, outOfTime.signal]);
  const startedAt = performance.now();
  const logEnded = () => jobLog.info('the job was canceled or removed, the attempt is dropped');
  const logRefusal = (message: string) => (refusal: unknown) => {
    if (refusal instanceof EndedByOwnerError) logEnded();
    else jobLog.warn({ err: refusal }, message);
  };
  try {
    const outcome = await splitAndStore(runner, jobId, claim, signal, (fraction) => lease.report(fraction));
    await insist(() => leases.completeJob({ jobId, fence, ...outcome }), claim.leaseMs);
    jobLog.info(
      { segments: outcome.segments.length, ms: Math.round(performance.now() - startedAt) },
      'job completed',
    );
  } catch (error) {
    const end = endOfAttempt(signal.aborted ? signal.reason : error);
    switch (end.kind) {
      case 'ended':
        logEnded();
        break;
      case 'lost':
        jobLog.warn({ err: error }, 'the lease was lost, the attempt is dropped');
        break;
      case 'released':
        jobLog.info('the process stops, the job is handed back');
        await insist(() => leases.releaseJob({ jobId, fence }), claim.leaseMs).catch(
          logRefusal('the job could not be handed back; its lease will run out'),
        );
        break;
      case 'failed': {
        jobLog[end.code === 'INTERNAL_ERROR' ? 'error' : 'info'](
          { err: error, code: end.code },
          'the attempt failed',
        );
        const failure = {
          jobId,
          fence,
          error: { code: end.code, message: end.message },
          retryable: end.retryable,
        };
        await insist(() => leases.failJob(failure), claim.leaseMs).catch(
          logRefusal('the failure could not be reported; the lease will run out'),
        );
        break;
      }
      default:
        end satisfies never;
    }
  }
}

async function splitAndStore(
  runner: JobRunner,
  jobId: string,
  claim: ClaimJobResponse,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
) {
  const { request } = claim;
  if (request === undefined) throw new Error('the claim carries no request');
  await mkdir(runner.scratchDir, { recursive: true, mode: 0o700 });
  const scratchDir = await mkdtemp(join(runner.scratchDir, `${jobId}-`));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(scratchDir, { recursive: true, force: true }));
  const source = cleanup.use(
    await runner.openSource(request.sourceUrl, { maxBytes: Number(claim.maxSourceBytes), signal }),
  );
  const outputFormat = fromProtoFormat(request.outputFormat);
  // By index: an engine that had to begin anew hands its segments out once more.
  const stored = new Map<number, StoredSegment>();
  const result = await runner.split({
    source: source.file ?? source.body,
    ...(source.reopen === undefined ? {} : { reopenSource: source.reopen }),
    ...(source.declaredSizeBytes === undefined ? {} : { sourceSizeBytes: source.declaredSizeBytes }),
    cut: cutOf(request),
    ...(outputFormat === undefined ? {} : { outputFormat }),
    scratchDir,
    ffmpegPath: runner.ffmpegPath,
    ...(claim.maxSourceDurationMs === undefined
      ? {}
      : { maxSourceDurationMs: Number(claim.maxSourceDurationMs) }),
    signal,
    onProgress,
    async onSegment(segment) {
      const prefix = `jobs/${jobId}/${claim.fence}/`;
      stored.set(segment.index, await storeSegment(runner.store, prefix, segment, signal));
    },
  });
  signal.throwIfAborted();
  const segments = [...stored.values()].sort((a, b) => a.index - b.index).slice(0, result.segmentCount);
  const sourceDurationMs = toMs(result.sourceSampleCount, result.sourceSampleRateHz);
  assertWhole(segments, result.segmentCount, sourceDurationMs);
  return {
    outputFormat: PROTO_FORMATS[result.outputFormat],
    sourceFileName: source.fileName,
    sourceDurationMs: BigInt(sourceDurationMs),
    sourceSizeBytes: BigInt(result.sourceSizeBytes),
    segments: segments.map((segment) => ({
      index: segment.index,
      objectKey: segment.objectKey,
      fileName: segmentFileName(source.fileName, segment.index, segments.length, segment.extension),
      contentType: segment.contentType,
      startMs: BigInt(segment.startMs),
      durationMs: BigInt(segment.durationMs),
      sizeBytes: BigInt(segment.sizeBytes),
    })),
  };
}

/** A gap or an overlap is never published. */
function assertWhole(segments: readonly StoredSegment[], count: number, sourceDurationMs: number): void {
  let endMs = 0;
  for (const [position, segment] of segments.entries()) {
    if (segment.index !== position || segment.startMs !== endMs) {
      throw new MediaError(
        'INTERNAL_ERROR',
        `segment ${segment.index} begins at ${segment.startMs} ms, not at ${endMs} ms`,
      );
    }
    endMs += segment.durationMs;
  }
  if (segments.length !== count || endMs !== sourceDurationMs) {
    throw new MediaError(
      'INTERNAL_ERROR',
      `${segments.length} of ${count} segments end at ${endMs} of ${sourceDurationMs} ms`,
    );
  }
}

const PROTO_FORMATS: Record<OutputFormat, ProtoFormat> = {
  mp3: ProtoFormat.MP3,
  wav: ProtoFormat.WAV,
  flac: ProtoFormat.FLAC,
  ogg: ProtoFormat.OGG,
  aac: ProtoFormat.AAC,
};

function fromProtoFormat(format: ProtoFormat): OutputFormat | undefined {
  return (Object.keys(PROTO_FORMATS) as OutputFormat[]).find((name) => PROTO_FORMATS[name] === format);
}

function cutOf(request: NonNullable<ClaimJobResponse['request']>): Cut {
  if (request.mode === SplitMode.DURATION && request.segmentDurationSeconds !== undefined) {
    return { mode: 'duration', segmentDurationSeconds: request.segmentDurationSeconds };
  }
  if (request.mode === SplitMode.FILE_SIZE && request.maxFileSizeBytes !== undefined) {
    return { mode: 'fileSize', maxFileSizeBytes: Number(request.maxFileSizeBytes) };
  }
  throw new Error(`the claim carries a request without a cut: mode ${request.mode}`);
}

/** Repeats a call that fails for reasons of the moment, as long as the lease may live. Throws LeaseLostError. */
async function insist(call: () => Promise<unknown>, leaseMs: number): Promise<void> {
  const deadline = performance.now() + leaseMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      await call();
      return;
    } catch (error) {
      const loss = leaseLossOf(error);
      if (loss !== undefined) throw loss;
      if (performance.now() + pauseMs > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}

function abortAfter(ms: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  // A timer holds at most 2^31 - 1 ms.
  const timer = setTimeout(
    () => controller.abort(new OutOfTimeError('out of time')),
    Math.min(ms, 2_147_483_647),
  );
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
