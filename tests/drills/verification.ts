/**
 * The checks after each drill (docs/operations/drills.md): nothing waits on the bus, no dead letters, nothing lost in the
 * bucket, a new job is completed; and every accepted job is finished, its completion notified, and counted.
 */
import type { DrillContext, DrillResult } from './drill.ts';
import { awaitEnds, completionIds, countUncounted, unnotified } from './environment/accounting.ts';
import type { LoadJob } from './environment/light-load.ts';
import { readDeadLetterCount, readLag, readReconciliation } from './environment/operator-commands.ts';
import { inSeconds, secondsUntil } from './seconds-until.ts';

/** Of this drill and those before it. */
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
  const notifiedIn = await secondsUntil(() => unnotified(load, toNotify).length === 0, NOTIFIED_TIMEOUT_MS);
  const twice = toNotify.filter((job) => completionIds(load.receiver, job).size > 1).length;
  journal.expect(
    'each completion was notified to its receiver',
    notifiedIn !== undefined,
    `${toNotify.length - unnotified(load, toNotify).length} of ${toNotify.length}${twice === 0 ? '' : `, ${twice} of them under more than one id`}`,
  );
  await verifyBus(context);
  await verifyBucket(context, expected.jobsWithLosses);
  const job = await completeOneJob(context);
  const isExpected = async () => (await countUncounted(load)) === expected.uncountedJobs;
  load.pause();
  const counted = await secondsUntil(isExpected, BUS_TIMEOUT_MS);
  journal.expect(
    expected.uncountedJobs === 0
      ? 'usage has each completed job once'
      : `usage lacks ${expected.uncountedJobs} jobs and has each of the others once`,
    counted !== undefined,
    `${await countUncounted(load)} completed jobs more than are counted`,
  );
  load.resume();
  if (job !== undefined) journal.measure('A job afterwards', inSeconds(job));
}

async function verifyBus({ commands, journal }: DrillContext): Promise<void> {
  let lag = readLag(await commands.run('lag'));
  const seconds = await secondsUntil(async () => {
    if (lag.messages !== 0) lag = readLag(await commands.run('lag'));
    return lag.messages === 0;
  }, BUS_TIMEOUT_MS);
  journal.expect(
    '`npm run operate -- lag` is at zero',
    seconds !== undefined,
    seconds === undefined ? lag.lines.join('; ') : 'nothing waits',
  );
  const letters = readDeadLetterCount(await commands.run('dead-letters', 'list'));
  journal.expect(
    'there are no dead letters',
    letters === 0,
    `\`npm run operate -- dead-letters list\` has ${letters}`,
  );
}

async function verifyBucket({ commands, journal }: DrillContext, expected: number): Promise<void> {
  const { jobsWithLosses } = readReconciliation(await commands.run('reconcile'));
  journal.expect(
    expected === 0
      ? '`npm run operate -- reconcile` finds no losses'
      : '`npm run operate -- reconcile` finds no losses beyond the expected ones',
    jobsWithLosses === expected,
    `${jobsWithLosses} jobs lack segments`,
  );
}

/** Seconds from its request to its completion; undefined where it is not completed. */
async function completeOneJob({ load, journal }: DrillContext): Promise<number | undefined> {
  const startedMs = performance.now();
  const job = await load.post(0);
  const ends = job === undefined ? undefined : await awaitEnds(load, [job], ENDS_TIMEOUT_MS);
  const isCompleted = ends?.completed.length === 1;
  const seconds = (performance.now() - startedMs) / 1_000;
  const sizes = job !== undefined && isCompleted ? await downloadAll(load.account.client, job) : undefined;
  journal.expect(
    'a new job is completed',
    sizes?.every(({ received, size }) => received === size) === true,
    sizes === undefined
      ? 'it was not completed'
      : `${sizes.length} segments, each of the size that the API states`,
  );
  return isCompleted ? seconds : undefined;
}

type Client = DrillContext['load']['account']['client'];

async function downloadAll(
  client: Client,
  { id }: LoadJob,
): Promise<{ readonly received: number; readonly size: number }[]> {
  const job = await client.getSplit(id);
  if (job.status !== 'completed') throw new Error(`${id} was completed and is ${job.status}`);
  return Promise.all(
    job.segments.map(async ({ downloadUrl, size }) => ({
      received: (await (await fetch(downloadUrl)).arrayBuffer()).byteLength,
      size,
    })),
  );
}
