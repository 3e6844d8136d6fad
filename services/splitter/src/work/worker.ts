/**
 * Takes jobs off the splitters' queue while it has a free slot.
 *
 * An event's offset is committed as soon as the job is claimed, so a long split never holds a partition
 * and the queue's lag is work that nobody has begun. A worker without a free slot pauses its consumer. It
 * takes one event at a time, so that none waits in its hands for a slot while another worker is idle.
 *
 * Draining happens in two steps: nothing new is taken and running jobs get `drainGraceMs` to end; what is
 * left is aborted and handed back without counting the attempt.
 */

import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { DrainingError } from './job-failure.ts';
import { type JobRunner, runJob } from './run-job.ts';
import { createSlots } from './slots.ts';

export interface WorkerOptions {
  readonly bus: EventBus;
  readonly runner: JobRunner;
  readonly workerId: string;
  readonly concurrency: number;
  readonly drainGraceMs: number;
  readonly onCrash: (error: Error) => void;
}

export interface Worker extends AsyncDisposable {
  /** Ids of the jobs that run now. */
  running(): readonly string[];
}

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { bus, runner, workerId, drainGraceMs } = options;
  const draining = new AbortController();
  const slots = createSlots(options.concurrency);
  // By attempt: a job that was lost may come back while the old attempt still ends.
  const attempts = new Map<Promise<void>, string>();

  const subscription = await subscribeToEvents({
    bus,
    group: 'splitter',
    topics: [TOPICS.splitRequests],
    schema: EventSchema,
    onCrash: options.onCrash,
    maxConcurrentHandlers: 1,
    async handler(event, _message, signal) {
      if (event.payload.case !== 'splitRequested') return;
      const { jobId } = event.payload.value;
      await slots.take(signal);
      let isRunning = false;
      try {
        if (slots.free() === 0) subscription.pause();
        // Not given up half-way: a claim whose answer nobody hears holds the job until its lease runs out.
        const claim = await runner.leases.claimJob({ jobId, workerId });
        isRunning = true;
        const attempt = runJob(runner, jobId, claim, draining.signal).finally(() => {
          attempts.delete(attempt);
          giveBack();
        });
        attempts.set(attempt, jobId);
      } catch (error) {
        if (!hasReason(error, Reason.NOT_CLAIMABLE)) throw error;
        runner.log.debug({ jobId, err: error }, 'not claimed');
      } finally {
        if (!isRunning) giveBack();
      }
    },
  });
  function giveBack() {
    slots.give();
    subscription.resume();
  }

  return {
    running: () => [...attempts.values()],
    async [Symbol.asyncDispose]() {
      await subscription[Symbol.asyncDispose]();
      const grace = setTimeout(() => draining.abort(new DrainingError('the process stops')), drainGraceMs);
      await Promise.all(attempts.keys());
      clearTimeout(grace);
    },
  };
}
