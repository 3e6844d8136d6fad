/**
 * The conditions that must hold after every step. A failure reports the name of the violated one together
 * with the seed.
 */
import { invoiceObjectKey } from '@audiosplit/billing/invoices/invoice';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { fromBinary } from '@bufbuild/protobuf';
import { isFinal, type JobState, type Tables } from '../database/watched-tables.ts';
import type { Installation } from '../installation/installation.ts';
import { requireInvariant } from './invariant.ts';
import { isPurged, type Ledger } from './ledger.ts';
import { createPartsChecker } from './parts-invariants.ts';

const MAX_ATTEMPTS = 3;
const MINUTE_MS = 60_000;
const RANKS: Readonly<Record<string, number>> = { processing: 1, completed: 2, failed: 2 };
const DELETED_RANK = 3;

export function createChecker(installation: Installation, ledger: Ledger) {
  const { tables } = installation;
  let before: ReadonlyMap<string, JobState> = new Map();
  let checks = 0;
  const parts = createPartsChecker();
  const events = createEventOrder(installation);
  return {
    checksMade: () => checks,
    /** Throws InvariantError. */
    check() {
      checks += 1;
      checkJobs(tables, before, ledger);
      checkQueues(tables, before);
      checkSegments(installation);
      parts.check(tables);
      checkObjects(installation, ledger);
      checkUsage(tables, ledger);
      for (const { id, accountId } of tables.charges.values()) ledger.chargedTo.set(id, accountId);
      events.check();
      before = new Map(tables.jobs);
    },
  };
}

function checkJobs({ jobs }: Tables, before: ReadonlyMap<string, JobState>, ledger: Ledger) {
  for (const id of ledger.accepted) {
    const isKept = jobs.has(id) || ledger.removalAsked.has(id) || isPurged(ledger, id);
    requireInvariant('no accepted job is lost', isKept, id);
  }
  const requests = new Set<string>();
  for (const job of jobs.values()) {
    requireInvariant('a repeated creation makes one job', !requests.has(job.request), job.request);
    requests.add(job.request);
    ledger.accountOf.set(job.id, job.accountId);
    requireInvariant(
      'no job has more than its attempts',
      job.attempts <= MAX_ATTEMPTS,
      () => `${job.id}: ${job.attempts}`,
    );
    const known = before.get(job.id);
    if (job.status === 'completed') ledger.completed.set(job.id, job.sourceDurationMs ?? 0);
    if (known === undefined) continue;
    requireInvariant(
      'each attempt has a fence of its own',
      job.attempts <= known.attempts || job.fence > known.fence,
      job.id,
    );
    requireInvariant('a fence never falls', job.fence >= known.fence, job.id);
    requireInvariant(
      'no job ends twice',
      !isFinal(known) ||
        (job.status === known.status &&
          job.fence === known.fence &&
          job.sourceDurationMs === known.sourceDurationMs),
      () => `${job.id} was ${known.status} under ${known.fence}, is ${job.status} under ${job.fence}`,
    );
    requireInvariant('no job goes back', known.status !== 'processing' || job.status !== 'queued', job.id);
  }
}

function checkQueues(
  { jobs, queues, limits, purgedAccounts }: Tables,
  before: ReadonlyMap<string, JobState>,
) {
  const jobsOf = Map.groupBy(jobs.values(), ({ accountId }) => accountId);
  for (const queue of queues.values()) {
    // A purge deletes the jobs in one transaction and the queue in the next.
    if (purgedAccounts.has(queue.accountId)) continue;
    const own = jobsOf.get(queue.accountId) ?? [];
    const count = (isMeant: (job: JobState) => boolean) => own.filter(isMeant).length;
    const counted = [
      count(({ status }) => status === 'queued'),
      count(({ status, isDispatched }) => status === 'queued' && isDispatched),
      count(({ status }) => status === 'processing'),
      count(({ status }) => status === 'completed'),
      count(({ status }) => status === 'failed'),
    ];
    const cap = limits.get(queue.accountId)?.concurrentJobs;
    const kept = [queue.queued, queue.dispatched, queue.processing, queue.completed, queue.failed];
    requireInvariant(
      'counters are exact',
      counted.join() === kept.join(),
      () => `${queue.accountId}: ${counted} but ${kept}`,
    );
    const hasStarted = own.some(
      ({ id, status }) => status === 'processing' && before.get(id)?.status !== 'processing',
    );
    requireInvariant(
      'the cap is never exceeded',
      !hasStarted || queue.processing <= (cap ?? 0),
      () => `${queue.accountId}: ${queue.processing} jobs run, ${cap} may`,
    );
    const waiting = own.filter(({ status, isDispatched }) => status === 'queued' && !isDispatched);
    for (const job of own) {
      const known = before.get(job.id);
      // A running job that is offered again keeps its place: its parts could not be converted, and it
      // continues undivided.
      if (!job.isDispatched || known?.isDispatched === true || known?.status === 'processing') continue;
      const older = waiting.find((other) => isBefore(other, job));
      requireInvariant(
        'order per account is kept',
        older === undefined,
        () => `${job.id} goes before ${older?.id}`,
      );
    }
  }
}

function isBefore(one: JobState, other: JobState): boolean {
  if (one.createdAtMs !== other.createdAtMs) return one.createdAtMs < other.createdAtMs;
  return one.id < other.id;
}

function checkSegments({ tables: { segments, jobs }, store }: Installation) {
  const counts = new Map<string, number>();
  for (const { jobId, objectKey, sizeBytes } of segments.values()) {
    const job = jobs.get(jobId);
    requireInvariant(
      'segments are of the attempt that completed',
      objectKey.startsWith(`jobs/${jobId}/${job?.fence}/`),
      objectKey,
    );
    requireInvariant(
      'no segment row is without its object',
      store.objects.get(objectKey)?.sizeBytes === sizeBytes,
      objectKey,
    );
    counts.set(jobId, (counts.get(jobId) ?? 0) + 1);
  }
  for (const job of jobs.values()) {
    const expected = job.areSegmentsExpired ? 0 : (job.segmentCount ?? 0);
    requireInvariant('a completed job has all its segments', (counts.get(job.id) ?? 0) === expected, job.id);
  }
}

/** Every object in the store at any time belongs to an account or is scheduled for deletion. */
function checkObjects({ tables, store }: Installation, { accountOf, purged }: Ledger) {
  const segmentKeys = new Set(tables.segments.values().map(({ objectKey }) => objectKey));
  for (const key of store.objects.keys()) {
    const [kind, id = ''] = key.split('/');
    if (kind !== 'jobs') continue;
    const isAtWork = tables.jobs.get(id)?.status === 'processing';
    const isToBeDeleted = tables.scheduledDeletions.values().some(({ prefix }) => key.startsWith(prefix));
    requireInvariant(
      'nothing is stored without an owner',
      isAtWork || isToBeDeleted || segmentKeys.has(key) || purged.has(accountOf.get(id) ?? ''),
      () => `${key}, whose job is ${tables.jobs.get(id)?.status}`,
    );
  }
  for (const { id, accountId, drawnRevision } of tables.invoices.values()) {
    const isThere =
      drawnRevision === 0 || store.objects.has(invoiceObjectKey({ id, accountId, revision: drawnRevision }));
    requireInvariant('no drawn invoice is without its file', isThere || purged.has(accountId), id);
  }
}

function checkUsage({ usage, endedPeriods }: Tables, { completed }: Ledger) {
  for (const { jobId, status, durationMs } of usage.values()) {
    requireInvariant(
      'usage is counted once, of what was done',
      status === 'failed' ? durationMs === 0 && !completed.has(jobId) : completed.get(jobId) === durationMs,
      () => `${jobId} ${status} ${durationMs}`,
    );
  }
  for (const { accountId, startMs, endMs, includedMinutes, overageMinutes } of endedPeriods.values()) {
    let usedMs = 0;
    for (const counted of usage.values()) {
      const isWithin = counted.countedAtMs >= startMs && counted.countedAtMs < endMs;
      if (counted.accountId === accountId && isWithin) usedMs += counted.durationMs;
    }
    const due = Math.max(0, Math.ceil(usedMs / MINUTE_MS) - includedMinutes);
    requireInvariant(
      'a billed period stays as it was billed',
      overageMinutes === due,
      () => `${accountId}: ${overageMinutes}, ${due}`,
    );
  }
}

/** The events of a job on the bus, and its notifications, are in the order of its life. */
function createEventOrder({ bus, tables: { deliveries } }: Installation) {
  const seen = new Set<string>();
  const lastRank = new Map<string, number>();
  const ended = new Set<string>();
  let read = 0;
  const rise = (jobId: string, rank: number) => {
    const last = lastRank.get(jobId) ?? 0;
    requireInvariant(
      'the events of a job keep their order',
      rank >= last,
      () => `${jobId}: ${rank} after ${last}`,
    );
    lastRank.set(jobId, rank);
  };
  return {
    check() {
      for (; read < bus.published.length; read++) {
        const message = bus.published[read];
        if (message === undefined) continue;
        const { id, payload } = fromBinary(EventSchema, message.value);
        if (seen.has(id)) continue;
        seen.add(id);
        if (payload.case === 'splitDeleted') rise(payload.value.jobId, DELETED_RANK);
        if (payload.case !== 'splitStatusChanged') continue;
        const { jobId, status } = payload.value;
        rise(jobId, RANKS[status] ?? 0);
        if (status === 'processing') continue;
        requireInvariant('no job is reported as ended twice', !ended.has(jobId), () => `${jobId} ${status}`);
        ended.add(jobId);
      }
      for (const [jobId, own] of Map.groupBy(deliveries.values(), (delivery) => delivery.jobId)) {
        const inOrder = own.toSorted((one, other) => one.number - other.number);
        const firstWaiting = inOrder.findIndex(({ fence }) => fence === 0);
        const isOvertaken = firstWaiting >= 0 && inOrder.slice(firstWaiting).some(({ fence }) => fence > 0);
        requireInvariant('no notification of a job overtakes another', !isOvertaken, jobId);
      }
    },
  };
}
