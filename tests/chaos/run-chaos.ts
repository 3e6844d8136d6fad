/** Runs everything from the start of the engines to the verdict. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRun, type Run } from '../harness/command/run.ts';
import type { LimitKind } from '../harness/faults/limits/process-limits.ts';
import { openAccounts } from '../harness/load/accounts.ts';
import { createLoad, type Load } from '../harness/load/load.ts';
import { RECIPES } from '../harness/load/recipes.ts';
import { createRandom } from '../harness/random.ts';
import { startSources } from '../harness/servers/sources.ts';
import { type ChaosInstallation, startChaosInstallation } from './chaos-installation.ts';
import { findViolations } from './checks/violations.ts';
import { collect, hashSegments } from './collect.ts';
import { type ChaosArguments, describeArguments } from './command-line.ts';
import { connect, destinationOf } from './destinations.ts';
import { FAULTS } from './faults/catalog.ts';
import type { Fault } from './faults/fault.ts';
import { injectAll } from './inject.ts';
import type { Observations } from './observations.ts';
import { renderReport } from './report.ts';
import { planInjections } from './schedule.ts';

const ACCOUNTS = 6;
const GATEWAYS = 2;
const PAUSE_MS = { short: [200, 800], full: [500, 4_000] } as const;
/** A job whose offer was lost is offered again after five minutes. */
const SETTLE_MS = 7 * 60_000;
/** More than the splitters can run concurrently, and few enough that a new job starts soon. */
const MAX_OPEN_JOBS = 36;
const COUNT_EVERY_MS = 500;
const PROGRESS_EVERY_MS = 10_000;
const LIMIT_OF_KIND: Readonly<Record<string, LimitKind>> = {
  'scratch-full': 'disk',
  'memory-limit': 'memory',
  'clock-jump': 'clock',
};

/** Throws StartError; rejects with the signal's reason. */
export async function runChaos(args: ChaosArguments, signal: AbortSignal) {
  const run = openRun('chaos', signal);
  const { dataDir, tell, note } = run;
  tell(`seed ${args.seed}; logs in ${dataDir}/logs`);
  const faults = FAULTS.filter(({ kind }) => args.only?.includes(kind) ?? true);
  await using running = new AsyncDisposableStack();
  const counts = { gateways: GATEWAYS, splitters: args.splitters, leaseSeconds: args.lease };
  const limits = new Set(faults.flatMap(({ kind }) => LIMIT_OF_KIND[kind] ?? []));
  const chaos = running.use(await startChaosInstallation(run, counts, limits));
  tell(`${chaos.installation.baseUrl} serves`);
  const over = new AbortController();
  running.defer(async () => over.abort());
  const loadSignal = AbortSignal.any([signal, over.signal]);
  const answers = new Map<number, number>();
  const observing = observe(chaos, args, { faults, answers, running, signal: loadSignal, tell });
  const observations = await run.orAborted(observing);
  const violations = findViolations(observations);
  const page = renderReport(
    {
      command: `npm run verify -- chaos ${describeArguments(args)}`,
      startedAt: run.startedAt,
      seconds: run.seconds(),
      ...counts,
      cores: availableParallelism(),
      titles: new Map(faults.map(({ kind, title }) => [kind, title])),
      answers,
    },
    observations,
    violations,
  );
  note(`\n${page}`);
  return { report: page, isFine: violations.length === 0 };
}

interface Observing extends Pick<Run, 'signal' | 'tell'> {
  readonly faults: readonly Fault[];
  /** Counts responses to POST by status. */
  readonly answers: Map<number, number>;
  readonly running: AsyncDisposableStack;
}

/** Posts jobs, injects faults, waits, and reads the state of every job. */
async function observe(
  chaos: ChaosInstallation,
  args: ChaosArguments,
  { faults, answers, running, signal, tell }: Observing,
): Promise<Observations> {
  const { seed } = args;
  const sources = running.use(await startSources());
  const accounts = await openAccounts(chaos.installation.baseUrl, ACCOUNTS, (status) => {
    answers.set(status, (answers.get(status) ?? 0) + 1);
  });
  const webhookUrl = chaos.receiver.url;
  await connect(accounts, chaos.bucket);
  const random = createRandom(seed);
  const load = createLoad({ seed, random, accounts, sources, webhookUrl, destinationOf, signal });
  const references = await runWithoutFaults(load);
  tell(`${RECIPES.length} jobs without faults are completed; the load begins`);

  const enough = new AbortController();
  let openJobs = 0;
  const loading = load.run(args.rate, enough.signal, () => openJobs >= MAX_OPEN_JOBS);
  const counting = countOpenJobs(chaos, AbortSignal.any([enough.signal, signal]), (count) => {
    openJobs = count;
  });
  const progress = setInterval(() => tell(describeLoad(load, openJobs, answers)), PROGRESS_EVERY_MS);
  running.defer(async () => clearInterval(progress));
  const plan = planInjections({
    seed,
    injections: args.injections,
    faults,
    shape: chaos.shape,
    pauseMs: PAUSE_MS[args.short ? 'short' : 'full'],
  });
  const until = AbortSignal.any([signal, AbortSignal.timeout(args.minutes * 60_000)]);
  const injections = await injectAll({ chaos, load, plan, atOnce: args['at-once'], until, tell });
  while (load.jobs.length < args.jobs && !until.aborted) await sleep(1_000);
  enough.abort();
  tell('no more faults; the load ends');
  await Promise.all([loading, counting]);
  clearInterval(progress);
  const collected = await collect({
    ...{ chaos, load, accounts, injections, references },
    ...{ settleMs: SETTLE_MS, tell },
  });
  const struck = new Set(injections.map(({ kind }) => kind));
  const missedKinds = [...new Set(plan.map(({ fault }) => fault.kind))].filter((kind) => !struck.has(kind));
  return { missedKinds, ...collected };
}

/** One job of each recipe before anything breaks; every later one is compared with it. */
async function runWithoutFaults(load: Load): Promise<ReadonlyMap<string, readonly string[]>> {
  const references = new Map<string, readonly string[]>();
  for (const recipe of RECIPES) {
    const { account, accepted } = await load.post(recipe, 0);
    if (accepted === undefined) throw new Error(`a job was rejected before the first fault: ${recipe.name}`);
    await account.client.waitForJob(accepted.id);
    references.set(recipe.name, await hashSegments(account, accepted.id));
  }
  return references;
}

async function countOpenJobs(
  { jobs }: ChaosInstallation,
  until: AbortSignal,
  onCount: (count: number) => void,
): Promise<void> {
  while (!until.aborted) {
    onCount(await jobs.countOpen());
    await sleep(COUNT_EVERY_MS, undefined, { signal: until }).catch(() => undefined);
  }
}

function describeLoad({ jobs }: Load, openJobs: number, answers: ReadonlyMap<number, number>): string {
  const accepted = jobs.filter((job) => job.accepted !== undefined).length;
  const refused = jobs.filter(({ refusal }) => refusal !== undefined).length;
  const statuses = [...answers].map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`);
  return `${jobs.length} jobs posted, ${accepted} accepted, ${refused} refused, ${openJobs} open; answers ${statuses.join(', ')}`;
}
