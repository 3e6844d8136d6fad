/**
 * Runs one seed: a period of work under faults, then a period without faults in which everything must end,
 * then a leap of a month, after which everything must be paid, notified and cleaned up.
 */
import { forgetGauges } from '@audiosplit/chassis/observability/metrics';
import { createRandom } from '../../harness/random.ts';
import { checkEnds, checkOrphans, checkPayments, checkWatched } from '../checks/final-checks.ts';
import { InvariantError, requireInvariant } from '../checks/invariant.ts';
import { createChecker } from '../checks/invariants.ts';
import { createLedger } from '../checks/ledger.ts';
import type { SimulationDatabase } from '../database/database.ts';
import { isFinal, type Tables } from '../database/watched-tables.ts';
import { startChaos } from '../faults/chaos.ts';
import type { Flaw } from '../faults/flaws.ts';
import { startAccounts } from '../installation/accounts.ts';
import type { Installation } from '../installation/installation.ts';
import { startInstallation } from '../installation/start.ts';
import { enterWorld } from '../world/virtual-globals.ts';
import { createWorld } from '../world/world.ts';

interface SeedOptions {
  readonly seed: number;
  /** The number of calls at ports under faults. */
  readonly steps: number;
  readonly database: SimulationDatabase;
  readonly scratchDir: string;
  readonly flaw?: Flaw | undefined;
}

export type SeedReport = Awaited<ReturnType<typeof runSeed>>;

interface SeedFailure {
  readonly invariant: string;
  readonly message: string;
  readonly recentTrace: readonly string[];
}

const FIRST_DAY_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Everything must come to rest within it once nothing fails any more. */
const MAX_SETTLING_MS = 120 * MINUTE_MS;
/** The share of seeds that continue into the next month. */
const MONTH_RATE = 0.4;
const SHARE_OF_NEW_WORK = 0.6;
const MAX_AFTERMATH_MS = 6 * MINUTE_MS;
const MAX_EVENTS = 40_000;

export async function runSeed(options: SeedOptions) {
  const { seed, database, scratchDir, flaw } = options;
  await database.reset();
  const random = createRandom(seed);
  const world = createWorld(random, FIRST_DAY_MS + random.between(0, 365 * DAY_MS));
  enterWorld(world);
  const installation = await startInstallation({ world, database, scratchDir, flaw });
  const ledger = createLedger();
  const checker = createChecker(installation, ledger);
  let failure = undefined as SeedFailure | undefined;
  try {
    await live(installation, checker, ledger, options.steps);
  } catch (error) {
    const invariant = error instanceof InvariantError ? error.invariant : 'the simulation itself works';
    const message = error instanceof InvariantError ? error.message : String((error as Error).stack);
    failure = { invariant, message, recentTrace: [...world.recentTrace()] };
  } finally {
    for (const replica of installation.processes) replica.kill();
    await world.settle();
    enterWorld(undefined);
    forgetGauges();
  }
  return {
    seed,
    /** All calls at ports. */
    steps: installation.faults.callsMade(),
    jobs: ledger.accepted.size,
    checks: checker.checksMade(),
    faults: installation.faults.injected,
    traceHash: world.traceHash(),
    failure,
  };
}

async function live(
  installation: Installation,
  checker: ReturnType<typeof createChecker>,
  ledger: ReturnType<typeof createLedger>,
  steps: number,
): Promise<void> {
  const { world, faults, processes, bus, tables } = installation;
  let events = 0;
  const step = async () => {
    events += 1;
    requireInvariant(
      'no run goes on for ever',
      (await world.step()) && events < MAX_EVENTS,
      () => `${events} events`,
    );
    if (installation.takeChange()) checker.check();
  };
  const pass = async (ms: number) => {
    const untilMs = world.nowMs() + ms;
    world.scheduleAnyway(ms, () => {});
    while (world.nowMs() < untilMs) await step();
  };
  const isQuiet = () =>
    tables.jobs.values().every(isFinal) &&
    tables.jobsOutbox.size + tables.billingOutbox.size === 0 &&
    bus.isDrained();
  const comeToRest = async () => {
    const latestMs = world.nowMs() + MAX_SETTLING_MS;
    while (!isQuiet()) {
      await step();
      requireInvariant('everything comes to its end', world.nowMs() < latestMs, () =>
        describeUnfinished(tables),
      );
    }
  };

  const heal = async () => {
    faults.heal();
    for (const replica of processes) if (!replica.isAlive()) await replica.start();
  };

  const accounts = startAccounts(installation, ledger);
  startChaos(installation);
  while (faults.callsMade() < steps * SHARE_OF_NEW_WORK) await step();
  // The existing work continues under faults long enough that leases, pauses and the reaper take effect.
  accounts.rest();
  const healAtMs = world.nowMs() + world.random.between(1, MAX_AFTERMATH_MS);
  while (faults.callsMade() < steps && world.nowMs() < healAtMs) await step();

  await heal();
  accounts.announcePurges();
  // Waits for calls that were in flight when the faults ended: the longest hang, and the last retries of
  // callers.
  await pass(4 * MINUTE_MS);
  await comeToRest();
  checkEnds(tables, ledger);

  world.leap(11 * MINUTE_MS);
  await pass(2 * MINUTE_MS);
  checkOrphans(installation, ledger);
  await checkWatched(installation);

  if (!world.random.chance(MONTH_RATE)) return;
  faults.flare();
  startChaos(installation);
  world.leap(32 * DAY_MS);
  await pass(2 * MINUTE_MS);
  await heal();
  await pass(5 * MINUTE_MS);
  await comeToRest();
  checkPayments(installation, ledger);
  await checkWatched(installation);
}

function describeUnfinished({ jobs, jobsOutbox, billingOutbox }: Tables): string {
  const unfinished = [...jobs.values()]
    .filter((job) => !isFinal(job))
    .map(({ id, status }) => `${id} ${status}`);
  return `unfinished: ${unfinished.join(', ')}; outbox rows: ${jobsOutbox.size + billingOutbox.size}`;
}
