/**
 * Takes jobs off the splitters' queue while it has room for them (shares/core-turns.ts).
 *
 * An event's offset is committed as soon as the job is claimed. A long split therefore never blocks a
 * partition, and the queue's lag is work that no worker has started. A worker without room pauses its
 * consumer. It takes one event at a time, so it holds no event without room while another worker is idle.
 * Idle workers find events that wait behind a busy one, and busy ones the first jobs of accounts (offer-watch.ts).
 *
 * Draining has two steps. First no new jobs are taken, and running jobs have `drainGraceMs` to end. Then the
 * remaining ones are aborted and handed back without counting the attempt. Leases are renewed until the end,
 * so the grace may be longer than a lease.
 */

import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import type { Offer } from '@audiosplit/proto/jobs/v1/jobs';
import { TOPICS } from '@audiosplit/proto/topics';
import { count } from '../metrics.ts';
import { DrainingError } from './job-failure.ts';
import { createLeaseWatch } from './lease/lease-watch.ts';
import { FIRST_CHECK_INTERVAL_MS, OVERDUE_CHECK_INTERVAL_MS, watchOffers } from './offer-watch.ts';
import { type JobRunner, runJob } from './run-job.ts';
import { runPart } from './run-part.ts';
import type { CoreTurn } from './shares/core-turns.ts';
import { createShares, type Shares } from './shares/shares.ts';

export interface WorkerOptions {
  readonly bus: EventBus;
  readonly runner: JobRunner;
  readonly workerId: string;
  /** Jobs that hold a core's slot concurrently. */
  readonly concurrency: number;
  /** Sources that are fetched concurrently. */
  readonly fetches: number;
  readonly drainGraceMs: number;
  /** Interval of the checks whether leases are still held; default CHECK_INTERVAL_MS of lease-watch.ts. */
  readonly checkLeasesEveryMs?: number | undefined;
  /**
   * Interval of the searches for overdue offers while there is room; default OVERDUE_CHECK_INTERVAL_MS of
   * offer-watch.ts.
   */
  readonly lookForOffersEveryMs?: number | undefined;
  /** Likewise while long jobs have all slots; default FIRST_CHECK_INTERVAL_MS of offer-watch.ts. */
  readonly lookForFirstOffersEveryMs?: number | undefined;
  readonly onCrash: (error: Error) => void;
}

export interface Worker extends AsyncDisposable {
  /** Ids of the running jobs. */
  running(): readonly string[];
  /** Which jobs hold and wait for what, for metrics. */
  readonly shares: Shares;
  /** The first step of draining; disposing runs it if it has not run yet. */
  beginDrain(): void;
}

type UnclaimedOffer = Pick<Offer, 'jobId' | 'part'>;

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { bus, workerId, drainGraceMs, checkLeasesEveryMs } = options;
  const {
    lookForOffersEveryMs = OVERDUE_CHECK_INTERVAL_MS,
    lookForFirstOffersEveryMs = FIRST_CHECK_INTERVAL_MS,
  } = options;
  const { leases, log } = options.runner;
  const leaseWatch = createLeaseWatch({ leases, everyMs: checkLeasesEveryMs });
  const runner = { ...options.runner, leaseWatch };
  const draining = new AbortController();
  const shares = createShares({
    slots: options.concurrency,
    fetches: options.fetches,
    onRoom: () => subscription.resume(),
    onSetAside: () => count('audiosplit_splitter_fetches_set_aside_total', {}),
    onPassOn: () => count('audiosplit_splitter_slots_passed_on_total', {}),
  });
  const { cores } = shares;
  // By attempt: a lost job may return while its old attempt is still ending.
  const attempts = new Map<Promise<void>, string>();

  let drained: Promise<void> | undefined;

  const subscription = await subscribeToEvents({
    bus,
    group: 'splitter',
    topics: [TOPICS.splitRequests],
    schema: EventSchema,
    onCrash: options.onCrash,
    maxConcurrentHandlers: 1,
    async handler(event, _message, signal) {
      if (event.payload.case !== 'splitRequested') return;
      await take(event.payload.value, signal);
    },
  });
  const overdueOffers = watchOffers({
    log,
    everyMs: lookForOffersEveryMs,
    room: cores.room,
    find: leases.findOverdueOffers,
    take,
  });
  const firstOffers = watchOffers({
    log,
    everyMs: lookForFirstOffersEveryMs,
    room: cores.roomBeside,
    find: leases.findFirstOffers,
    take: (offer) => claimAndRun(offer, cores.admitBeside()),
  });

  async function take(offer: UnclaimedOffer, signal: AbortSignal): Promise<void> {
    await claimAndRun(offer, await cores.admit(signal));
  }

  async function claimAndRun({ jobId, part }: UnclaimedOffer, turn: CoreTurn): Promise<void> {
    let isRunning = false;
    try {
      if (cores.room() === 0) subscription.pause();
      // Not aborted: a claim whose response is dropped holds the job until its lease expires.
      const run = await (part === undefined ? claimJob(jobId, turn) : claimPart(jobId, part, turn));
      isRunning = true;
      const attempt = run().finally(() => {
        attempts.delete(attempt);
        turn[Symbol.dispose]();
      });
      attempts.set(attempt, jobId);
    } catch (error) {
      if (!hasReason(error, Reason.NOT_CLAIMABLE)) throw error;
      log.debug({ jobId, part, err: error }, 'not claimed');
    } finally {
      if (!isRunning) turn[Symbol.dispose]();
    }
  }

  async function claimJob(jobId: string, turn: CoreTurn): Promise<() => Promise<void>> {
    const claim = await runner.leases.claimJob({
      jobId,
      workerId,
      supportsPlans: true,
      sendsSourceHeaders: true,
      usesBuckets: true,
    });
    return async () => {
      const job = { jobId, claim, shares: { ...shares, turn }, drain: draining.signal };
      const isDivided = await runJob(runner, job);
      if (isDivided) await workOnParts(jobId, turn);
    };
  }

  async function claimPart(jobId: string, part: number, turn: CoreTurn): Promise<() => Promise<void>> {
    const claim = await runner.leases.claimPart({ jobId, part, workerId });
    return async () => {
      await runPart(runner, { jobId, claim, turn, drain: draining.signal });
    };
  }

  /** The worker that has divided a job keeps its slot for the parts; other workers take single parts. */
  async function workOnParts(jobId: string, turn: CoreTurn): Promise<void> {
    try {
      while (drained === undefined) {
        const claim = await runner.leases.claimPart({ jobId, workerId });
        await runPart(runner, { jobId, claim, turn, drain: draining.signal });
      }
    } catch (error) {
      if (hasReason(error, Reason.NOT_CLAIMABLE)) return;
      log.warn({ jobId, err: error }, 'no part is claimed; the remaining ones wait for other workers');
    }
  }

  const drain = async () => {
    const grace = setTimeout(() => draining.abort(new DrainingError('the process stops')), drainGraceMs);
    try {
      const intake = [subscription, overdueOffers, firstOffers];
      await Promise.all(intake.map((each) => each[Symbol.asyncDispose]()));
      await Promise.all(attempts.keys());
    } finally {
      clearTimeout(grace);
      await leaseWatch[Symbol.asyncDispose]();
    }
  };
  const beginDrain = () => {
    drained ??= drain();
    return drained;
  };

  return {
    running: () => [...attempts.values()],
    shares,
    beginDrain() {
      // Disposing reports a failure.
      beginDrain().catch(() => undefined);
    },
    [Symbol.asyncDispose]: beginDrain,
  };
}
