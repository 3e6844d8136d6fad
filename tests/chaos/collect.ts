/**
 * Reads the final state of every job after the last recovery, through the public API and in the callers'
 * bucket: segments, notifications, usage.
 */
import { createHash } from 'node:crypto';
import { createSemaphore } from '@audiosplit/chassis/semaphore';
import type { CompletedJob, FailedJob } from '@audiosplit/client';
import type { LoadAccount } from '../harness/load/accounts.ts';
import { findJob } from '../harness/load/find-job.ts';
import type { Load, LoadedJob } from '../harness/load/load.ts';
import { secondsUntil } from '../harness/seconds-until.ts';
import type { ChaosInstallation } from './chaos-installation.ts';
import { flawsInBucket } from './destinations.ts';
import type {
  JobEnd,
  Observations,
  ObservedAccount,
  ObservedInjection,
  ObservedJob,
} from './observations.ts';

export interface CollectOptions {
  readonly chaos: ChaosInstallation;
  readonly load: Load;
  readonly accounts: readonly LoadAccount[];
  readonly injections: readonly ObservedInjection[];
  /** SHA-256 of each segment of each recipe, from jobs before the first fault. */
  readonly references: ReadonlyMap<string, readonly string[]>;
  /** A job that takes longer than this after the last fault is stuck. */
  readonly settleMs: number;
  readonly tell: (line: string) => void;
}

const AT_ONCE = 8;
const EVENTS_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 1_000;
/**
 * Notifications and usage arrive after a job's end, through the event bus. One whose sender was killed waits
 * for the end of its claim.
 */
const FOLLOW_UP_MS = 3 * 60_000;

export async function collect(options: CollectOptions): Promise<Omit<Observations, 'missedKinds'>> {
  const { chaos, load, accounts, injections, settleMs, tell } = options;
  await untilSettled(accounts, settleMs, tell);
  tell('reading every job and every segment');
  const ends = await inParallel(load.jobs, (job) => endOf(job, options));
  const results = load.jobs.map((job, n) => ({ job, end: ends[n] ?? { kind: 'missing' } }));
  tell('comparing notifications and usage');
  const { notifications, usage, billed, notArrived } = await followUps(options, results);
  const known = new Set(load.jobs.map(({ accepted }) => accepted?.id));
  const jobs = results.map(
    ({ job, end }): ObservedJob => ({
      request: job.number,
      id: job.accepted?.id,
      refusal: job.refusal,
      account: job.account.name,
      postedMs: job.postedAt.getTime(),
      end,
      notifications: notifications.get(job.number) ?? [],
      timesBilled: billed.get(job.accepted?.id ?? '') ?? 0,
    }),
  );
  const strangers = (await Promise.all(accounts.map((account) => strangersOf(account, known)))).flat();
  const redirectsFollowed = chaos.receiver.redirectsFollowed();
  return { injections, jobs, accounts: usage, strangers, notArrived, redirectsFollowed };
}

/**
 * The SHA-256 of each segment of a completed job, in order. Throws if one cannot be downloaded completely.
 */
export async function hashSegments(account: LoadAccount, jobId: string): Promise<string[]> {
  return await Array.fromAsync(account.client.segments(jobId), async (segment) => {
    const response = await account.client.downloadSegment(segment);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (bytes.length !== segment.size)
      throw new Error(`segment ${segment.index} has ${bytes.length} bytes, the API says ${segment.size}`);
    return createHash('sha256').update(bytes).digest('hex');
  });
}

async function untilSettled(
  accounts: readonly LoadAccount[],
  settleMs: number,
  tell: (line: string) => void,
): Promise<void> {
  const areAllFinished = async () => {
    const counts = await Promise.all(
      accounts.flatMap(({ client }) =>
        (['queued', 'processing'] as const).map((status) => client.listSplits({ status, limit: 1 })),
      ),
    );
    const open = counts.reduce((sum, { pagination }) => sum + pagination.total, 0);
    if (open > 0) tell(`${open} jobs are not finished yet`);
    return open === 0;
  };
  await secondsUntil(areAllFinished, settleMs, LOOK_EVERY_MS * 5);
}

async function endOf(
  { account, accepted, recipe }: LoadedJob,
  { references, chaos }: CollectOptions,
): Promise<JobEnd> {
  const reference = references.get(recipe.name) ?? [];
  const inBucket = (ended: CompletedJob | FailedJob) =>
    flawsInBucket(ended, { account, reference }, chaos.bucket);
  if (accepted === undefined) return { kind: 'refused' };
  const job = await findJob(account.client, accepted.id);
  if (job === undefined) return { kind: 'missing' };
  switch (job.status) {
    case 'completed':
      return {
        kind: 'completed',
        endedMs: Date.parse(job.completedAt),
        sourceDurationSeconds: job.sourceDuration ?? 0,
        flaws: [
          ...(job.keepCopy === false ? [] : await flawsOf(job, account, reference)),
          ...(await inBucket(job)),
          ...(await flawsOfEvents(job.id, account, chaos)),
        ],
      };
    case 'failed':
      return {
        kind: 'failed',
        code: job.error.code,
        attempts: await chaos.jobs.attemptsOf(job.id),
        flaws: await inBucket(job),
      };
    default:
      return { kind: 'stuck', status: job.status };
  }
}

async function flawsOf(
  job: CompletedJob,
  account: LoadAccount,
  reference: readonly string[],
): Promise<string[]> {
  const hashes = await hashSegments(account, job.id).catch((error: unknown) => String(error));
  if (typeof hashes === 'string') return [`its segments cannot be downloaded: ${hashes}`];
  if (hashes.length !== reference.length)
    return [`it has ${hashes.length} segments, without faults it has ${reference.length}`];
  return hashes.flatMap((hash, index) =>
    hash === reference[index] ? [] : [`segment ${index} differs from that of a job without faults`],
  );
}

/** The event stream of a finished job sends its end once and closes. */
async function flawsOfEvents(
  jobId: string,
  { apiKey }: LoadAccount,
  { installation }: ChaosInstallation,
): Promise<string[]> {
  const response = await fetch(`${installation.baseUrl}/api/v1/splits/${jobId}/events`, {
    headers: { 'X-API-Key': apiKey },
    signal: AbortSignal.timeout(EVENTS_TIMEOUT_MS),
  });
  const text = await response.text();
  const events = [...text.matchAll(/^event: ?(.*)$/gm)].map(([, type]) => type);
  const isSound = response.ok && events.length === 1 && events[0] === 'completed';
  return isSound ? [] : [`its stream of events gives ${response.status} ${events.join(', ')}`];
}

interface EndedJob {
  readonly job: LoadedJob;
  readonly end: JobEnd;
}

/** Read repeatedly until they match the jobs' ends, or until the timeout. */
async function followUps({ chaos, accounts, injections }: CollectOptions, results: readonly EndedJob[]) {
  const cutOff = injections.flatMap(({ notifications }) => notifications);
  const ended = results.filter(({ end }) => end.kind === 'completed' || end.kind === 'failed');
  const read = async () => ({
    notifications: await notificationsByRequest(chaos, accounts),
    usage: await Promise.all(accounts.map(usageOf)),
    billed: await chaos.jobs.billedJobs(),
    notArrived: cutOff.filter((each) => chaos.receiver.accepted.every(({ id }) => id !== each)),
  });
  let found = await read();
  const agree = async () => {
    found = await read();
    const counted = found.usage.reduce((sum, each) => sum + each.jobsCompleted + each.jobsFailed, 0);
    const isNotified = ({ job, end }: EndedJob) =>
      found.notifications.get(job.number)?.some(({ type }) => type === `split.${end.kind}`) ?? false;
    return counted >= ended.length && ended.every(isNotified) && found.notArrived.length === 0;
  };
  await secondsUntil(agree, FOLLOW_UP_MS, LOOK_EVERY_MS);
  return found;
}

/** An event counts if it is in the deliveries that the webhooks service lists or was sent to the receiver. */
async function notificationsByRequest(
  { receiver }: ChaosInstallation,
  accounts: readonly LoadAccount[],
): Promise<Map<number, { type: string; id: string }[]>> {
  const byRequest = new Map<number, Map<string, string>>();
  const add = (request: number, type: string, id: string) =>
    byRequest.getOrInsertComputed(request, () => new Map()).set(id, type);
  for (const { number, type, id } of receiver.accepted) add(number, type, id);
  await Promise.all(
    accounts.map(async ({ client }) => {
      for await (const { url, type, id } of client.eachDelivery({ limit: 100 }))
        add(Number(url.slice(url.lastIndexOf('/') + 1)), type, id);
    }),
  );
  const eventsOf = (types: ReadonlyMap<string, string>) => [...types].map(([id, type]) => ({ type, id }));
  return new Map([...byRequest].map(([request, types]) => [request, eventsOf(types)] as const));
}

async function usageOf({ client, name }: LoadAccount): Promise<ObservedAccount> {
  const { usage } = await client.getUsage();
  const { jobsCompleted, jobsFailed, minutesProcessed } = usage;
  return { name, jobsCompleted, jobsFailed, minutesProcessed };
}

async function strangersOf({ client }: LoadAccount, known: ReadonlySet<string | undefined>) {
  const listed = await Array.fromAsync(client.eachSplit({ limit: 100 }), ({ id }) => id);
  const strangers = listed.filter((id) => !known.has(id));
  return await Array.fromAsync(strangers, async (id) => {
    const job = await client.getSplit(id);
    const request = 'metadata' in job ? Number(job.metadata?.number) : Number.NaN;
    return { id, request: Number.isNaN(request) ? undefined : request };
  });
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const places = createSemaphore(AT_ONCE);
  const inTurn = async (item: T) => {
    using _place = await places.acquire();
    return await work(item);
  };
  return await Promise.all(items.map(inTurn));
}
