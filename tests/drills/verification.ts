/**
 * What has to hold after each drill, as docs/operations/drills.md says: nothing waits on the bus, no dead letters, nothing lost in
 * the bucket, a job from its start to its end; and every job that was accepted is at its end, told of, and counted.
 */
import type { DrillContext, DrillResult } from './drill.ts';
import { awaitEnds, completionsTold, countUncounted, untold } from './environment/accounting.ts';
import type { LoadJob } from './environment/light-load.ts';
import { readDeadLetterCount, readLag, readReconciliation } from './environment/operator-commands.ts';
import { inSeconds, secondsUntil } from './patience.ts';

/** Known from this drill and those before it. */
export interface ExpectedLosses {
  readonly jobsWithLosses: number;
  readonly uncountedJobs: number;
}

const ENDS_TIMEOUT_MS = 120_000;
/** A notification whose sender died is claimed by nobody else for two minutes. */
const TOLD_TIMEOUT_MS = 150_000;
const BUS_TIMEOUT_MS = 90_000;

export async function verify(
  context: DrillContext,
  sinceMs: number,
  result: DrillResult,
  known: ExpectedLosses,
): Promise<void> {
  const { load, journal } = context;
  const jobs = load.jobs().filter(({ acceptedAtMs }) => acceptedAtMs >= sinceMs);
  const ends = await awaitEnds(load, jobs, ENDS_TIMEOUT_MS);
  const failed = ends.failed.map(({ job, code }) => `${job.id} ${code}`);
  journal.expect(
    'every job that was accepted is at its end',
    ends.missing.length === 0 && ends.open.length === 0,
    `${ends.completed.length} completed, ${failed.length} failed, ${ends.missing.length} unknown, ${ends.open.length} not at an end`,
  );
  if (failed.length > 0) journal.saw(`failed: ${failed.join(', ')}`);
  const toTell = ends.completed.filter(({ number }) => !(result.unnotifiedJobs?.has(number) ?? false));
  const toldIn = await secondsUntil(() => untold(load, toTell).length === 0, TOLD_TIMEOUT_MS);
  const twice = toTell.filter((job) => completionsTold(load.receiver, job).size > 1).length;
  journal.expect(
    'each completion was told to its receiver',
    toldIn !== undefined,
    `${toTell.length - untold(load, toTell).length} of ${toTell.length}${twice === 0 ? '' : `, ${twice} of them under more than one id`}`,
  );
  await lookAtBus(context);
  await lookAtBucket(context, known.jobsWithLosses);
  const job = await doOneJob(context);
  const isKnown = async () => (await countUncounted(load)) === known.uncountedJobs;
  load.pause();
  const counted = await secondsUntil(isKnown, BUS_TIMEOUT_MS);
  journal.expect(
    known.uncountedJobs === 0
      ? 'usage has each completed job once'
      : `usage lacks ${known.uncountedJobs} jobs and has each of the others once`,
    counted !== undefined,
    `${await countUncounted(load)} completed jobs more than are counted`,
  );
  load.resume();
  if (job !== undefined) journal.measure('A job afterwards', inSeconds(job));
}

async function lookAtBus({ commands, journal }: DrillContext): Promise<void> {
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

async function lookAtBucket({ commands, journal }: DrillContext, known: number): Promise<void> {
  const { jobsWithLosses } = readReconciliation(await commands.run('reconcile'));
  journal.expect(
    known === 0
      ? '`npm run operate -- reconcile` finds no losses'
      : '`npm run operate -- reconcile` finds no losses beyond those that are known',
    jobsWithLosses === known,
    `${jobsWithLosses} jobs lack segments`,
  );
}

/** Seconds from its posting to its end; undefined where it does not get there. */
async function doOneJob({ load, journal }: DrillContext): Promise<number | undefined> {
  const startedMs = performance.now();
  const job = await load.post(0);
  const ends = job === undefined ? undefined : await awaitEnds(load, [job], ENDS_TIMEOUT_MS);
  const isCompleted = ends?.completed.length === 1;
  const seconds = (performance.now() - startedMs) / 1_000;
  const sizes = job !== undefined && isCompleted ? await downloadAll(load.account.client, job) : undefined;
  journal.expect(
    'a job goes from its start to its end',
    sizes?.every(({ came, size }) => came === size) === true,
    sizes === undefined ? 'it was not completed' : `${sizes.length} segments, each as long as the API says`,
  );
  return isCompleted ? seconds : undefined;
}

type Client = DrillContext['load']['account']['client'];

async function downloadAll(
  client: Client,
  { id }: LoadJob,
): Promise<{ readonly came: number; readonly size: number }[]> {
  const job = await client.getSplit(id);
  if (job.status !== 'completed') throw new Error(`${id} was completed and is ${job.status}`);
  return Promise.all(
    job.segments.map(async ({ downloadUrl, size }) => ({
      came: (await (await fetch(downloadUrl)).arrayBuffer()).byteLength,
      size,
    })),
  );
}
