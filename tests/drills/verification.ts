/**
 * The checks after each drill (docs/operations/drills.md): no message waits on the bus, no dead letters,
 * nothing lost in the bucket, a new job is completed; and every accepted job is finished, its completion
 * notified, and counted.
 */
import { inSeconds } from '../harness/seconds-until.ts';
import type { DrillContext, DrillResult } from './drill.ts';
import {
  awaitEnds,
  completeJob,
  completionIds,
  countUncounted,
  unnotified,
} from './environment/accounting.ts';
import type { LightLoad, LoadJob } from './environment/light-load.ts';

/** Losses of this drill and of those before it. */
export interface ExpectedLosses {
  readonly jobsWithLosses: number;
  readonly uncountedJobs: number;
}

const ENDS_TIMEOUT_MS = 120_000;
/** A notification whose sender died can be claimed again after two minutes. */
const NOTIFIED_TIMEOUT_MS = 150_000;
const BUS_TIMEOUT_MS = 90_000;

export async function verify(
  context: DrillContext,
  sinceMs: number,
  result: DrillResult,
  expected: ExpectedLosses,
): Promise<void> {
  const { load, journal } = context;
  const jobs = load.jobs().filter(({ acceptedAtMs }) => acceptedAtMs >= sinceMs);
  const ends = await awaitEnds(load, jobs, ENDS_TIMEOUT_MS);
  const failed = ends.failed.map(({ job, code }) => `${job.id} ${code}`);
  journal.expect(
    'every accepted job is finished',
    ends.missing.length === 0 && ends.open.length === 0,
    `${ends.completed.length} completed, ${failed.length} failed, ${ends.missing.length} unknown, ${ends.open.length} not finished`,
  );
  if (failed.length > 0) journal.saw(`failed: ${failed.join(', ')}`);
  const toNotify = ends.completed.filter(({ number }) => !(result.unnotifiedJobs?.has(number) ?? false));
  await journal.expectWithin(
    NOTIFIED_TIMEOUT_MS,
    'each completion was notified to its receiver',
    () => unnotified(load, toNotify).length === 0,
    () => {
      const twice = toNotify.filter((job) => completionIds(load.receiver, job).size > 1).length;
      return `${toNotify.length - unnotified(load, toNotify).length} of ${toNotify.length}${twice === 0 ? '' : `, ${twice} of them under more than one id`}`;
    },
  );
  await verifyBus(context);
  await verifyBucket(context, expected.jobsWithLosses);
  const job = await completeOneJob(context);
  const isExpected = async () => (await countUncounted(load)) === expected.uncountedJobs;
  load.pause();
  await journal.expectWithin(
    BUS_TIMEOUT_MS,
    expected.uncountedJobs === 0
      ? 'usage has each completed job once'
      : `usage lacks ${expected.uncountedJobs} jobs and has each of the others once`,
    isExpected,
    async () => `${await countUncounted(load)} completed jobs more than are counted`,
  );
  load.resume();
  if (job !== undefined) journal.measure('A job afterwards', inSeconds(job));
}

async function verifyBus({ commands, journal }: DrillContext): Promise<void> {
  let waiting: readonly string[] = [];
  await journal.expectWithin(
    BUS_TIMEOUT_MS,
    '`npm run operate -- lag` is at zero',
    async () => {
      waiting = await commands.lag();
      return waiting.length === 0;
    },
    () => (waiting.length === 0 ? 'nothing waits' : waiting.join('; ')),
  );
  journal.expectEqual('there are no dead letters', await commands.countDeadLetters(), 0);
}

async function verifyBucket({ commands, journal }: DrillContext, expected: number): Promise<void> {
  const { jobsWithLosses } = await commands.reconcile();
  const beyond = expected === 0 ? '' : ' beyond the expected ones';
  journal.expect(
    `\`npm run operate -- reconcile\` finds no losses${beyond}`,
    jobsWithLosses === expected,
    `${jobsWithLosses} jobs lack segments`,
  );
}

/** Seconds from its request to its completion; undefined if it is not completed. */
async function completeOneJob({ load, journal }: DrillContext): Promise<number | undefined> {
  const { job, seconds } = await completeJob(load, ENDS_TIMEOUT_MS);
  const sizes = job && seconds !== undefined ? await downloadAll(load, job) : undefined;
  journal.expect(
    'a new job is completed',
    sizes?.every(({ received, size }) => received === size) === true,
    sizes === undefined
      ? 'it was not completed'
      : `${sizes.length} segments, each of the size that the API states`,
  );
  return seconds;
}

async function downloadAll({ account }: LightLoad, { id }: LoadJob) {
  const job = await account.client.getSplit(id);
  if (job.status !== 'completed') throw new Error(`${id} was completed and is ${job.status}`);
  return Promise.all(
    job.segments.map(async ({ downloadUrl = '', size }) => ({
      received: (await (await fetch(downloadUrl)).arrayBuffer()).byteLength,
      size,
    })),
  );
}
