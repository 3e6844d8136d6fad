/**
 * Runs everything from the start of the engines to the protocol. A failed drill is a deviation, and the next
 * one follows.
 */
import { availableParallelism } from 'node:os';
import { messageOf } from '@audiosplit/chassis/errors';
import { openRun, type Run } from '../harness/command/run.ts';
import { openAccounts } from '../harness/load/accounts.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { startSources } from '../harness/servers/sources.ts';
import { DRILLS } from './catalog.ts';
import type { DrillArguments } from './command-line.ts';
import type { Drill, DrillContext } from './drill.ts';
import { LEASE_SECONDS, startDrillInstallation } from './environment/drill-installation.ts';
import { startLightLoad } from './environment/light-load.ts';
import { createOperatorCommands } from './environment/operator-commands.ts';
import { createZone } from './environment/zone.ts';
import { openJournal } from './journal.ts';
import { type CarriedOut, deviationsOf, renderProtocol } from './report.ts';
import { type ExpectedLosses, verify } from './verification.ts';

type Environment = Omit<DrillContext, 'journal'>;

/** Throws StartError; rejects with the signal's reason. */
export async function runDrills(args: DrillArguments, signal: AbortSignal) {
  const run = openRun('drills', signal);
  const { dataDir, tell } = run;
  await using running = new AsyncDisposableStack();
  tell(`engines and processes start; logs in ${dataDir}/logs`);
  const zone = createZone();
  const installation = running.use(await startDrillInstallation(run, zone));
  const { engines } = installation;
  tell(`${installation.baseUrl} serves`);
  const sources = running.use(await startSources());
  const receiver = running.use(await startReceiver());
  const [account] = await openAccounts(installation.baseUrl, 1);
  if (account === undefined) throw new Error('one account was asked for');
  const load = running.use(startLightLoad(account, sources, receiver));
  const environment: Environment = {
    installation,
    engines,
    zone,
    load,
    commands: createOperatorCommands(engines),
    outageMs: args.outageMs,
    folder: dataDir,
  };
  const carriedOut: CarriedOut[] = [];
  let losses: ExpectedLosses = { jobsWithLosses: 0, uncountedJobs: 0 };
  for (const drill of DRILLS.filter(({ name }) => args.only?.includes(name) ?? true)) {
    tell(`${drill.title}: ${drill.what}`);
    const [done, next] = await run.orAborted(carryOut(drill, environment, losses, tell));
    carriedOut.push(done);
    losses = next;
  }
  const facts = {
    startedAt: run.startedAt,
    seconds: run.seconds(),
    cores: availableParallelism(),
    outageSeconds: args.outageMs / 1_000,
    leaseSeconds: LEASE_SECONDS,
  };
  tell('everything stops');
  const deviations = carriedOut.flatMap(deviationsOf).length;
  const verdict = deviations === 0 ? 'Everything was as expected.' : `${deviations} deviations.`;
  return {
    report: renderProtocol(facts, carriedOut),
    isFine: deviations === 0,
    verdict: `\n${verdict}\n`,
  };
}

async function carryOut(
  drill: Drill,
  environment: Environment,
  former: ExpectedLosses,
  tell: Run['tell'],
): Promise<[CarriedOut, ExpectedLosses]> {
  const startedAt = new Date();
  const journal = openJournal(
    () => performance.now(),
    ({ kind, text }) => tell(`  ${kind === 'deviation' ? 'DEVIATION' : kind}: ${text}`),
  );
  const context: DrillContext = { ...environment, journal };
  let next = former;
  try {
    const result = await drill.carryOut(context);
    next = {
      jobsWithLosses: result.jobsWithLosses ?? former.jobsWithLosses,
      uncountedJobs: result.uncountedJobs ?? former.uncountedJobs,
    };
    await verify(context, startedAt.getTime(), result, next);
  } catch (error) {
    journal.expect('the drill can be carried out to its end', false, messageOf(error));
    await startAgain(context);
  }
  const { title, what } = drill;
  const { entries, measures } = journal;
  return [{ title, what, startedAt, seconds: journal.secondsSoFar(), entries, measures }, next];
}

/** Starts everything that a failed drill had stopped. */
async function startAgain({ installation, engines, zone, load }: DrillContext): Promise<void> {
  await engines.startAll();
  zone.restore();
  if (installation.processes.names().length === 0) await installation.start();
  load.resume();
}
