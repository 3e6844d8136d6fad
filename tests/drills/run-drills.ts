/**
 * A run from the start of the engines to the protocol. A drill that cannot go on is a deviation, everything is started again
 * that it has left stopped, and the next one comes.
 */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { holdDataDir } from '../../deploy/embedded/data-dir.ts';
import { startEngines } from '../../deploy/engines/start-engines.ts';
import { enginesFolder, removeInstallationData } from '../../deploy/processes/installation.ts';
import { INSTALLATION_ENGINES } from '../../deploy/processes/installation-config.ts';
import { openRunLog } from '../harness/command/run-log.ts';
import { openAccounts } from '../harness/load/accounts.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { startSources } from '../harness/servers/sources.ts';
import { type KnownLosses, lookAfter } from './aftermath.ts';
import { DRILLS } from './catalog.ts';
import type { DrillArguments } from './command-line.ts';
import type { Drill, DrillContext, DrillResult } from './drill.ts';
import { openJournal } from './journal.ts';
import { type CarriedOut, deviationsOf, renderProtocol } from './report.ts';
import { createEngines } from './surroundings/engines.ts';
import { startLightLoad } from './surroundings/light-load.ts';
import { createOperatorCommands } from './surroundings/operator-commands.ts';
import { LEASE_SECONDS, startDrillSite } from './surroundings/site.ts';

export interface DrillsOutcome {
  readonly protocol: string;
  readonly deviations: number;
}

type Surroundings = Omit<DrillContext, 'journal'>;

const DATA_DIR = './.data/drills';

/** Throws StartError; rejects with the signal's reason. */
export async function runDrills(args: DrillArguments, signal: AbortSignal): Promise<DrillsOutcome> {
  const startedAt = new Date();
  const dataDir = resolve(DATA_DIR);
  const { tell, note } = openRunLog(join(dataDir, 'logs/drills.log'), startedAt);
  const report = (name: string, message: string) => note(`${name} ${message}`);
  await using running = new AsyncDisposableStack();
  running.use(await holdDataDir(dataDir));
  running.defer(() => removeInstallationData(dataDir));
  tell(`engines and processes start; logs in ${join(dataDir, 'logs')}`);
  const dir = enginesFolder(dataDir);
  await startEngines({ dir, only: INSTALLATION_ENGINES, signal, report });
  const engines = createEngines(dir, report, signal);
  const site = running.use(await startDrillSite({ dataDir, engines, signal, report }));
  tell(`${site.baseUrl} serves`);
  const sources = running.use(await startSources());
  const receiver = running.use(await startReceiver());
  const [account] = await openAccounts(site.baseUrl, 1);
  if (account === undefined) throw new Error('one account was asked for');
  const load = running.use(startLightLoad(account, sources, receiver));
  const surroundings: Surroundings = {
    site,
    engines,
    load,
    commands: createOperatorCommands(engines),
    outageMs: args.outageMs,
    folder: dataDir,
  };
  const interrupted = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => interrupted.reject(signal.reason), { once: true });
  const carriedOut: CarriedOut[] = [];
  let known: KnownLosses = { jobsWithLosses: 0, uncountedJobs: 0 };
  for (const drill of DRILLS.filter(({ name }) => args.only?.includes(name) ?? true)) {
    tell(`${drill.title}: ${drill.what}`);
    const [done, next] = await Promise.race([
      carryOut(drill, surroundings, known, tell),
      interrupted.promise,
    ]);
    carriedOut.push(done);
    known = next;
  }
  const facts = {
    startedAt,
    seconds: (Date.now() - startedAt.getTime()) / 1_000,
    cores: availableParallelism(),
    outageSeconds: args.outageMs / 1_000,
    leaseSeconds: LEASE_SECONDS,
  };
  tell('everything stops');
  return {
    protocol: renderProtocol(facts, carriedOut),
    deviations: carriedOut.reduce((sum, each) => sum + deviationsOf(each).length, 0),
  };
}

async function carryOut(
  drill: Drill,
  surroundings: Surroundings,
  known: KnownLosses,
  tell: (line: string) => void,
): Promise<[CarriedOut, KnownLosses]> {
  const startedAt = new Date();
  const journal = openJournal({
    nowMs: () => performance.now(),
    onEntry: ({ kind, text }) => tell(`  ${kind === 'deviation' ? 'DEVIATION' : kind}: ${text}`),
  });
  const context: DrillContext = { ...surroundings, journal };
  let result: DrillResult = {};
  let next = known;
  try {
    result = await drill.carryOut(context);
    next = {
      jobsWithLosses: result.jobsWithLosses ?? known.jobsWithLosses,
      uncountedJobs: result.uncountedJobs ?? known.uncountedJobs,
    };
    await lookAfter(context, startedAt.getTime(), result, next);
  } catch (error) {
    journal.expect('the drill can be carried out to its end', false, messageOf(error));
    await makeWhole(context);
  }
  const { title, what } = drill;
  const { entries, measures } = journal;
  return [{ title, what, startedAt, seconds: journal.secondsSoFar(), entries, measures }, next];
}

/** After a drill that broke off. */
async function makeWhole({ site, engines, load }: DrillContext): Promise<void> {
  await engines.startAll();
  site.bringZoneBack();
  if (site.processes().length === 0) await site.start();
  load.resume();
}
