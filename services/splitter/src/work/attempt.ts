/**
 * Runs one attempt at a claimed job or at a part of one: renews its lease and reports its outcome to the jobs
 * service.
 *
 * An attempt has exactly one outcome: done (completed, or divided into parts), failed, released (the process
 * drains), indivisible (the job must be done whole), ended (the job's owner has canceled or removed it),
 * unreserved (the account's minutes do not suffice) or lost (another worker has it). A report that fails is
 * repeated as long as the lease may be valid. If no report succeeds, the lease expires and another worker
 * gets the work.
 */
import { inSpan, type SpanOptions, withoutSpans } from '@audiosplit/chassis/observability/spans';
import type { Logger } from '@audiosplit/chassis/process/log';
import { currentTrace, TRACEPARENT_HEADER, traceFromHeaders } from '@audiosplit/chassis/trace';
import { isAttack } from '@audiosplit/engine/media-error';
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';
import { count, observeSince } from '../metrics.ts';
import { type SourceUse, toProtoUse } from '../source/source-use.ts';
import { type AttemptEnd, endOfAttempt, OutOfTimeError } from './job-failure.ts';
import { EndedByOwnerError, type LeaseRef } from './lease/lease.ts';
import { keepLease, type ProgressReport } from './lease/lease-keeper.ts';
import type { LeaseWatch } from './lease/lease-watch.ts';
import { retryWhileLeased } from './retry-while-leased.ts';
import { ScratchBusyError } from './scratch-budget.ts';

interface AttemptDependencies {
  readonly leases: Client<typeof JobLeaseService>;
  readonly leaseWatch?: LeaseWatch;
  readonly log: Logger;
}

/** The part of a claim that concerns the attempt. */
interface Claimed {
  readonly attempt: number;
  /** Headers of the job's trace. */
  readonly trace: Readonly<Record<string, string>>;
  readonly leaseMs: number;
  readonly wallClockLeftMs: bigint;
  /** Counts the attempt's use of the source limits; absent: it fetches nothing. */
  readonly use?: SourceUse;
}

/** What a successful attempt reports to the jobs service. */
export interface Completion {
  readonly report: () => Promise<unknown>;
  /** For the log. */
  readonly logMessage: string;
  readonly details: object;
}

export type Work = (signal: AbortSignal, progress: ProgressReport) => Promise<Completion>;

interface AttemptOptions {
  readonly lease: LeaseRef;
  readonly claim: Claimed;
  /** Aborts with DrainingError. */
  readonly drain: AbortSignal;
}

/**
 * Never rejects: the outcome goes to the jobs service and to the log. Resolves with whether the completion
 * has been reported.
 */
export function runAttempt(
  dependencies: AttemptDependencies,
  options: AttemptOptions,
  work: Work,
): Promise<boolean> {
  const { lease, claim } = options;
  const { jobId, part } = lease;
  const attributes = { 'audiosplit.job.id': jobId, 'audiosplit.job.attempt': claim.attempt };
  const span: SpanOptions = {
    ...parentOf(claim),
    name: part === undefined ? 'attempt at a job' : 'attempt at a part',
    kind: 'internal',
    attributes: part === undefined ? attributes : { ...attributes, 'audiosplit.job.part': part },
  };
  return inSpan(span, () => attemptUnderLease(dependencies, options, work));
}

/** The job's own trace, unless the offer already belongs to it. */
function parentOf({ trace }: Claimed): Pick<SpanOptions, 'parent'> {
  if (trace[TRACEPARENT_HEADER] === undefined) return {};
  const parent = traceFromHeaders((name) => trace[name]);
  return parent.traceId === currentTrace()?.traceId ? {} : { parent };
}

async function attemptUnderLease(
  { leases, leaseWatch, log }: AttemptDependencies,
  { lease, claim, drain }: AttemptOptions,
  work: Work,
): Promise<boolean> {
  const { attempt, leaseMs, wallClockLeftMs, use } = claim;
  const { jobId, fence, part } = lease;
  const attemptLog = log.child({
    jobId,
    ...(part === undefined ? {} : { part }),
    fence: Number(fence),
    attempt,
  });
  await using keeper = withoutSpans(() => keepLease({ leases, lease, leaseMs, use, watch: leaseWatch }));
  using outOfTime = abortAfter(Number(wallClockLeftMs));
  const signal = AbortSignal.any([keeper.signal, drain, outOfTime.signal]);
  const startedAt = performance.now();
  const measureEnd = (outcome: 'done' | AttemptEnd['kind']) => {
    const work = part === undefined ? 'job' : 'part';
    observeSince('audiosplit_job_attempt_duration_seconds', { work, outcome }, startedAt);
    if (outcome === 'lost') count('audiosplit_job_leases_lost_total', {});
  };
  const logEnded = () => attemptLog.info('the job was canceled or removed, the attempt is dropped');
  const logRefusal = (message: string) => (refusal: unknown) => {
    if (refusal instanceof EndedByOwnerError) logEnded();
    else attemptLog.warn({ err: refusal }, message);
  };
  const handBack = async (asWhole: boolean) => {
    await retryWhileLeased(() => leases.releaseJob({ ...lease, asWhole, ...toProtoUse(use) }), leaseMs).catch(
      logRefusal('the job could not be handed back; its lease will expire'),
    );
  };
  try {
    const completion = await work(signal, keeper);
    await retryWhileLeased(completion.report, leaseMs);
    attemptLog.info(
      { ...completion.details, ms: Math.round(performance.now() - startedAt) },
      completion.logMessage,
    );
    measureEnd('done');
    return true;
  } catch (error) {
    if (isAttack(error)) {
      count('audiosplit_decoder_attacks_total', {});
      attemptLog.error({ err: error }, 'the source tried to take over ffmpeg');
    }
    const end = endOfAttempt(signal.aborted ? signal.reason : error);
    measureEnd(end.kind);
    switch (end.kind) {
      case 'ended':
        logEnded();
        return false;
      case 'unreserved':
        attemptLog.info('the account has too few minutes, the attempt is dropped');
        return false;
      case 'lost':
        attemptLog.warn({ err: error }, 'the lease was lost, the attempt is dropped');
        return false;
      case 'released':
        if (error instanceof ScratchBusyError) attemptLog.warn({ err: error }, 'the job is handed back');
        else attemptLog.info('the process stops, the job is handed back');
        await handBack(false);
        return false;
      case 'indivisible':
        attemptLog.info(
          { err: error },
          'the source does not allow parts, the job is handed back to be done whole',
        );
        await handBack(true);
        return false;
      case 'failed': {
        attemptLog[end.code === 'INTERNAL_ERROR' ? 'error' : 'info'](
          { err: error, code: end.code },
          'the attempt failed',
        );
        const failure = {
          ...lease,
          error: { code: end.code, message: end.message },
          retryable: end.retryable,
          ...toProtoUse(use),
        };
        await retryWhileLeased(() => leases.failJob(failure), leaseMs).catch(
          logRefusal('the failure could not be reported; the lease will expire'),
        );
        return false;
      }
      default:
        return end satisfies never;
    }
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
