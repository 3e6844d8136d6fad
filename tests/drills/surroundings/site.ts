/**
 * The product on real engines, with half of everything to lose: two gateways, two of each service, two splitters, one
 * address. Whatever dies is started again, unless its zone is away. Engines are not supervised: a drill takes them away.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import type { Env } from '@audiosplit/chassis/process/env';
import { readOrMakeSecrets } from '../../../deploy/embedded/installation-secrets.ts';
import { settleListenAddress } from '../../../deploy/embedded/listen-address.ts';
import { environmentOf } from '../../../deploy/engines/environment.ts';
import { ensureBalancer } from '../../../deploy/processes/balancer.ts';
import {
  type DistributedSystem,
  startDistributedSystem,
} from '../../../deploy/processes/distributed-system.ts';
import { processEnvironment, readInstallationConfig } from '../../../deploy/processes/installation-config.ts';
import type { ManagedProcess } from '../../../deploy/processes/process/managed-process.ts';
import {
  forgetRunningState,
  type RecordedProcess,
  stopLeftBehind,
  writeRunningState,
} from '../../../deploy/processes/running-state.ts';
import { startSamplesServer } from '../../../deploy/processes/samples-server.ts';
import { identifyProcess } from '../../../deploy/provision/process-identity.ts';
import { type Report, reportedTask } from '../../../deploy/provision/progress.ts';
import type { Engines } from './engines.ts';

export const REPLICAS = 2;
export const LEASE_SECONDS = 30;
/** Of each splitter. */
const JOBS_AT_ONCE = 4;
/** As Prometheus waits by default; while the bus is away a process looks for its lag for half of that. */
const SCRAPE_TIMEOUT_MS = 10_000;

export interface DrillSite extends AsyncDisposable {
  readonly baseUrl: string;
  /** Each gateway by itself. */
  gatewayUrls(): readonly string[];
  /** None while it is stopped. */
  processes(): readonly ManagedProcess[];
  /** With these in place of the secrets that it has. Throws StartError with what a process said that does not start. */
  start(secrets?: Env): Promise<void>;
  /** In order, as scaling to nothing does. Does nothing while it is stopped. */
  stop(): Promise<void>;
  /** SIGKILL to the first of each kind at the same moment; resolves with their process ids by name. */
  loseZone(): ReadonlyMap<string, number>;
  /** Has what was lost start again. */
  bringZoneBack(): void;
  /** What every process that answers tells of itself, in the format of Prometheus. */
  metrics(): Promise<readonly string[]>;
}

export interface DrillSiteOptions {
  readonly dataDir: string;
  readonly engines: Engines;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** Started. Throws StartError. */
export async function startDrillSite(options: DrillSiteOptions): Promise<DrillSite> {
  const { dataDir, engines, signal, report } = options;
  mkdirSync(dataDir, { recursive: true });
  for (const name of await stopLeftBehind(dataDir)) report(name, 'was left behind by a killed run, stopped');
  await using starting = new AsyncDisposableStack();
  const task = reportedTask('drills', report, signal);
  const command = await ensureBalancer(task);
  const address = await settleListenAddress('127.0.0.1', 0);
  const samples = starting.use(await startSamplesServer());
  const env = siteEnvironment(dataDir);
  const common = processEnvironment({
    env,
    config: readInstallationConfig(env, process.cwd()),
    secrets: await readOrMakeSecrets(dataDir),
    baseUrl: address.baseUrl,
    splitters: REPLICAS,
  });
  await engines.startAll();

  const records = recordProcesses(dataDir);
  starting.defer(async () => records.forget());
  const away = new Set<string>();
  let system: DistributedSystem | undefined;
  const stop = async () => {
    away.clear();
    await system?.stop();
    system = undefined;
  };
  starting.defer(stop);

  const site: DrillSite = {
    baseUrl: address.baseUrl,
    gatewayUrls: () => system?.gatewayUrls ?? [],
    processes: () => system?.processes ?? [],
    stop,
    async start(secrets = {}) {
      const ofEngines = engines.endpoints();
      system = await startDistributedSystem({
        env: { ...common, ...environmentOf(ofEngines), DATABASE_URL: ofEngines.databaseUrl, ...secrets },
        gateways: REPLICAS,
        splitters: REPLICAS,
        replicas: REPLICAS,
        code: 'source',
        directory: dataDir,
        ownLogins: true,
        balancer: { command, address, samplesPort: samples.port },
        restart: true,
        // Asked at each start.
        launch: (spec) => ({
          ...spec,
          get command() {
            return away.has(spec.name) ? '/bin/false' : spec.command;
          },
        }),
        signal,
        onChange: records.update,
      });
    },
    loseZone() {
      const lost = (system?.processes ?? []).filter(({ name }) => name.endsWith('-0'));
      for (const { name } of lost) away.add(name);
      const pids = new Map(lost.flatMap((each) => [[each.name, each.identity()?.pid ?? 0] as const]));
      for (const pid of pids.values()) killGroup(pid);
      return pids;
    },
    bringZoneBack: () => away.clear(),
    async metrics() {
      const pages = await Promise.all((system?.processes ?? []).map(scrape));
      return pages.filter((page) => page !== undefined);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  await site.start();
  const running = starting.move();
  return { ...site, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function siteEnvironment(dataDir: string): Env {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATA_DIR: dataDir,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    JOB_LEASE_SECONDS: String(LEASE_SECONDS),
    SPLITTER_CONCURRENCY: String(JOBS_AT_ONCE),
    METRICS_PORT: '0',
    METRICS_HOST: '127.0.0.1',
  };
}

/** For whoever comes after a run that was killed, and to leave nothing behind one that leaves early. */
function recordProcesses(dataDir: string) {
  const known = new Map<string, readonly RecordedProcess[]>();
  const supervisor = identifyProcess(process.pid);
  if (supervisor === null) throw new Error('this process runs');
  const killAll = () => {
    for (const { pid } of [...known.values()].flat()) killGroup(pid);
  };
  process.on('exit', killAll);
  return {
    update(each: ManagedProcess) {
      known.set(
        each.name,
        each.identities().map((identity) => ({ name: each.name, ...identity })),
      );
      writeRunningState(dataDir, { supervisor, processes: [...known.values()].flat() });
    },
    forget() {
      process.off('exit', killAll);
      forgetRunningState(dataDir);
    },
  };
}

/** Whoever a process has started, such as ffmpeg, is of its group. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** Where it is told, a process says in its log; undefined of one that does not answer. */
async function scrape({ log }: ManagedProcess): Promise<string | undefined> {
  const line = readFileSync(log.path, 'utf8')
    .split('\n')
    .findLast((each) => each.includes('metrics are served'));
  if (line === undefined) return undefined;
  const { port } = JSON.parse(line) as { readonly port: number };
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
      signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS),
    });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
