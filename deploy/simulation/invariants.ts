/** What must hold after every step. Each has a name, which a failure reports beside its seed. */
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { fromBinary } from '@bufbuild/protobuf';
import type { Installation } from './installation.ts';
import type { Ledger } from './ledger.ts';
import type { JobState, Snapshot } from './snapshot.ts';

export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly invariant: string;
  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

export function demand(invariant: string, holds: boolean, what: () => string): asserts holds {
  if (!holds) throw new InvariantError(invariant, what());
}

export const isFinal = ({ status }: Pick<JobState, 'status'>) =>
  status === 'completed' || status === 'failed';

const MAX_ATTEMPTS = 3;
const MINUTE_MS = 60_000;
const RANKS: Readonly<Record<string, number>> = { processing: 1, completed: 2, failed: 2 };
const DELETED_RANK = 3;

export interface Checker {
  /** Throws InvariantError. */
  check(snapshot: Snapshot): void;
  checksMade(): number;
}

export function createChecker(installation: Installation, ledger: Ledger): Checker {
  let before = new Map<string, JobState>();
  let checks = 0;
  const events = createEventOrder(installation);
  return {
    checksMade: () => checks,
    check(snapshot) {
      checks += 1;
      const jobs = new Map(snapshot.jobs.map((job) => [job.id, job]));
      checkJobs(jobs, before, ledger);
      checkQueues(snapshot, before);
      checkSegments(snapshot, jobs, installation);
      checkUsage(snapshot, ledger);
      events.check();
      before = jobs;
    },
  };
}

function checkJobs(
  jobs: ReadonlyMap<string, JobState>,
  before: ReadonlyMap<string, JobState>,
  ledger: Ledger,
) {
  for (const id of ledger.accepted) {
    demand('no accepted job is lost', jobs.has(id) || ledger.removalAsked.has(id), () => id);
  }
  const wishes = new Set<string>();
  for (const job of jobs.values()) {
    demand('a repeated creation makes one job', !wishes.has(job.wish), () => job.wish);
    wishes.add(job.wish);
    demand(
      'no job has more than its attempts',
      job.attempts <= MAX_ATTEMPTS,
      () => `${job.id}: ${job.attempts}`,
    );
    const known = before.get(job.id);
    if (job.status === 'completed') ledger.completed.set(job.id, job.sourceDurationMs ?? 0);
    if (known === undefined) continue;
    demand(
      'each attempt has a fence of its own',
      job.attempts <= known.attempts || job.fence > known.fence,
      () => job.id,
    );
    demand('a fence never falls', job.fence >= known.fence, () => job.id);
    demand(
      'no job ends twice',
      !isFinal(known) ||
        (job.status === known.status &&
          job.fence === known.fence &&
          job.sourceDurationMs === known.sourceDurationMs),
      () => `${job.id} was ${known.status} under ${known.fence}, is ${job.status} under ${job.fence}`,
    );
    demand('no job goes back', known.status !== 'processing' || job.status !== 'queued', () => job.id);
  }
}

function checkQueues({ jobs, queues }: Snapshot, before: ReadonlyMap<string, JobState>) {
  for (const queue of queues) {
    const own = jobs.filter(({ accountId }) => accountId === queue.accountId);
    const count = (isMeant: (job: JobState) => boolean) => own.filter(isMeant).length;
    const counted = [
      count(({ status }) => status === 'queued'),
      count(({ status, isDispatched }) => status === 'queued' && isDispatched),
      count(({ status }) => status === 'processing'),
      count(({ status }) => status === 'completed'),
      count(({ status }) => status === 'failed'),
    ];
    const kept = [queue.queued, queue.dispatched, queue.processing, queue.completed, queue.failed];
    demand(
      'counters are exact',
      counted.join() === kept.join(),
      () => `${queue.accountId}: ${counted} but ${kept}`,
    );
    const hasStarted = own.some(
      ({ id, status }) => status === 'processing' && before.get(id)?.status !== 'processing',
    );
    demand(
      'the cap is never exceeded',
      !hasStarted || queue.processing <= (queue.cap ?? 0),
      () => `${queue.accountId}: ${queue.processing} jobs run, ${queue.cap} may`,
    );
    const waiting = own.filter(({ status, isDispatched }) => status === 'queued' && !isDispatched);
    for (const job of own) {
      if (!job.isDispatched || before.get(job.id)?.isDispatched === true) continue;
      const older = waiting.find((other) => isBefore(other, job));
      demand('order per account is kept', older === undefined, () => `${job.id} goes before ${older?.id}`);
    }
  }
}

function isBefore(one: JobState, other: JobState): boolean {
  if (one.createdAtMs !== other.createdAtMs) return one.createdAtMs < other.createdAtMs;
  return one.id < other.id;
}

function checkSegments(snapshot: Snapshot, jobs: ReadonlyMap<string, JobState>, { store }: Installation) {
  const counts = new Map<string, number>();
  for (const { jobId, objectKey, sizeBytes } of snapshot.segments) {
    const job = jobs.get(jobId);
    demand(
      'segments are of the attempt that completed',
      objectKey.startsWith(`jobs/${jobId}/${job?.fence}/`),
      () => objectKey,
    );
    demand(
      'no segment row is without its object',
      store.objects.get(objectKey)?.sizeBytes === sizeBytes,
      () => objectKey,
    );
    counts.set(jobId, (counts.get(jobId) ?? 0) + 1);
  }
  for (const job of jobs.values()) {
    const expected = job.areSegmentsExpired ? 0 : (job.segmentCount ?? 0);
    demand('a completed job has all its segments', (counts.get(job.id) ?? 0) === expected, () => job.id);
  }
}

function checkUsage(snapshot: Snapshot, { completed }: Ledger) {
  for (const { jobId, status, durationMs } of snapshot.usage) {
    demand(
      'usage is counted once, of what was done',
      status === 'failed' ? durationMs === 0 && !completed.has(jobId) : completed.get(jobId) === durationMs,
      () => `${jobId} ${status} ${durationMs}`,
    );
  }
  for (const { accountId, includedMinutes, overageMinutes, usedMs } of snapshot.endedPeriods) {
    const due = Math.max(0, Math.ceil(usedMs / MINUTE_MS) - includedMinutes);
    demand(
      'a billed period stays as it was billed',
      overageMinutes === due,
      () => `${accountId}: ${overageMinutes}, ${due}`,
    );
  }
}

/** The events of a job on the bus, and its notifications on the wire, come in the order of its life. */
function createEventOrder({ bus, receiver }: Installation) {
  const seen = new Set<string>();
  const toldRank = new Map<string, number>();
  const sentRank = new Map<string, number>();
  const ended = new Set<string>();
  let read = 0;
  let sent = 0;
  const rise = (ranks: Map<string, number>, jobId: string, rank: number, what: string) => {
    const last = ranks.get(jobId) ?? 0;
    demand(
      'the events of a job keep their order',
      rank >= last,
      () => `${what} of ${jobId}: ${rank} after ${last}`,
    );
    ranks.set(jobId, rank);
  };
  return {
    check() {
      for (; read < bus.published.length; read++) {
        const message = bus.published[read];
        if (message === undefined) continue;
        const { id, payload } = fromBinary(EventSchema, message.value);
        if (seen.has(id)) continue;
        seen.add(id);
        if (payload.case === 'splitDeleted') rise(toldRank, payload.value.jobId, DELETED_RANK, 'an event');
        if (payload.case !== 'splitStatusChanged') continue;
        const { jobId, status } = payload.value;
        rise(toldRank, jobId, RANKS[status] ?? 0, 'an event');
        if (status === 'processing') continue;
        demand('no job is told to have ended twice', !ended.has(jobId), () => `${jobId} ${status}`);
        ended.add(jobId);
      }
      for (; sent < receiver.attempts.length; sent++) {
        const attempt = receiver.attempts[sent];
        if (attempt === undefined || seen.has(attempt.webhookId)) continue;
        seen.add(attempt.webhookId);
        rise(sentRank, attempt.jobId, RANKS[attempt.type.replace('split.', '')] ?? 0, 'a notification');
      }
    },
  };
}
