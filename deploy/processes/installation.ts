/**
 * Engines, migrations, processes and the balancer on one machine, with all state in one folder: for `npm run
 * up`, and for test suites that inject faults.
 *
 * Disposing stops everything in reverse order: the processes phase by phase, then the engines.
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import type { ListenAddress } from '../embedded/listen-address.ts';
import type { EngineName, ProxiedListener } from '../engines/engine.ts';
import { readState } from '../engines/engines-state.ts';
import { environmentOf } from '../engines/environment.ts';
import { readProcessLogins } from '../engines/process-logins.ts';
import { startEngines } from '../engines/start-engines.ts';
import { stopEngines } from '../engines/stop-engines.ts';
import { superviseEngines } from '../engines/supervise-engines.ts';
import { asStartError } from '../provision/explain-failure.ts';
import { type Report, reportedTask } from '../provision/progress.ts';
import { ensureBalancer } from './balancer.ts';
import {
  type DistributedSystem,
  type DistributedSystemOptions,
  logsFolder,
  startDistributedSystem,
} from './distributed-system.ts';
import type { InstallationEngine } from './installation-config.ts';
import type { ManagedProcess, ProcessSpec } from './process/managed-process.ts';
import { createRecordedRestarts } from './rolling-restart.ts';
import { recordRun, stopLeftBehind } from './running-state.ts';
import { startSamplesServer } from './samples-server.ts';

export interface Installation
  extends Pick<DistributedSystem, 'baseUrl' | 'gatewayUrls' | 'rpcUrls'>,
    AsyncDisposable {
  readonly env: DistributedSystemOptions['env'];
  readonly logsFolder: string;
  /** In the order in which they are stopped; empty after a stop. */
  processes(): readonly ManagedProcess[];
  engines(): readonly {
    readonly name: EngineName;
    readonly pid: number | undefined;
    /** Undefined if the engine is not supervised. */
    readonly restarts: number | undefined;
  }[];
  /** Replaces every process, one after the other, and keeps the running state up to date. A second call joins the first. */
  restart(): Promise<void>;
  /** Stops all processes in order, but no engine; resolves with their exit codes by name. Does nothing after a stop. */
  stop(): Promise<Readonly<Record<string, number | null>>>;
  /** Starts all processes after a stop; `env` replaces some of their variables. Throws StartError. */
  start(env?: Env): Promise<void>;
}

export interface InstallationOptions
  extends Pick<
    DistributedSystemOptions,
    'gateways' | 'splitters' | 'replicas' | 'code' | 'ownLogins' | 'databaseSecret' | 'currentEnv'
  > {
  /** The caller holds this folder (holdDataDir). */
  readonly dataDir: string;
  /** For all processes: secrets, settings, and the addresses of engines that are not started here. */
  readonly env: Env;
  readonly engines: readonly InstallationEngine[];
  /** Each process signs in to those engines with its own login and the permissions of access.ts. */
  readonly isRestricted: boolean;
  /** The balancer's address; undefined without one. */
  readonly address: ListenAddress | undefined;
  readonly restarts: 'none' | 'processes' | 'all';
  readonly keepEngines: boolean;
  readonly signal: AbortSignal;
  readonly report: Report;
  readonly onChange: (process: ManagedProcess) => void;
  readonly hooks?: FaultHooks | undefined;
}

/** Inserted between the processes and what they depend on, to cause faults. */
export interface FaultHooks {
  readonly proxied?: Partial<Record<EngineName, ProxiedListener>>;
  /** Maps the engines' addresses to the ones passed to the processes. */
  readonly environment?: (ofEngines: EnginesEnvironment) => Promise<EnginesEnvironment>;
  readonly launch?: (spec: ProcessSpec) => ProcessSpec;
}

export type EnginesEnvironment = Env & { readonly DATABASE_URL: string };

export function enginesFolder(dataDir: string): string {
  return join(dataDir, 'engines');
}

/** Removes everything except the logs, including those of the engines, once the installation is down. */
export async function removeInstallationData(dataDir: string): Promise<void> {
  const engines = enginesFolder(dataDir);
  const logs = logsFolder(dataDir);
  try {
    for (const name of readdirSync(engines).filter((each) => each.endsWith('.log')))
      copyFileSync(join(engines, name), join(logs, name));
  } catch {
    // They had not been started.
  }
  await stopEngines({ dir: engines });
  for (const name of readdirSync(dataDir).filter((each) => each !== 'logs'))
    rmSync(join(dataDir, name), { recursive: true, force: true });
}

/** Throws StartError. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { dataDir, address, hooks, report } = options;
  if (process.platform !== 'linux') {
    throw new StartError('separate processes on real engines run on Linux only: use npm start here');
  }
  await using starting = new AsyncDisposableStack();
  for (const name of await stopLeftBehind(dataDir)) report(name, 'was left behind by a killed run, stopped');
  const balancer = address && (await startBalanced(address, options, starting));
  const { engines, engineLogins, supervision } = await startOwnEngines(options, starting);
  const ofEngines = { ...engines, DATABASE_URL: options.env.DATABASE_URL ?? engines.DATABASE_URL ?? '' };
  const env = { ...options.env, ...ofEngines, ...(await hooks?.environment?.(ofEngines)) };

  const record = starting.use(recordRun(dataDir));
  let system: DistributedSystem | undefined;
  const start = async (changes: Env = {}) => {
    system = await startDistributedSystem({
      ...options,
      env: { ...env, ...changes },
      engineLogins,
      directory: dataDir,
      balancer,
      restart: options.restarts !== 'none',
      launch: hooks?.launch,
      onChange(each) {
        record.updateProcess(each);
        options.onChange(each);
      },
    });
    record.update({ baseUrl: system.baseUrl, rpcUrls: system.rpcUrls });
  };
  const stop = async () => {
    const codes = await system?.stop();
    system = undefined;
    return codes ?? {};
  };
  starting.defer(async () => void (await stop()));
  report('processes', 'migrations, then all at once …');
  await start();
  const processes = () => system?.processes ?? [];
  const restart = createRecordedRestarts({
    processes,
    report,
    onChange: (rollingRestart) => record.update({ rollingRestart }),
  });
  const running = starting.move();
  return {
    get baseUrl() {
      return address?.baseUrl ?? system?.baseUrl ?? '';
    },
    get gatewayUrls() {
      return system?.gatewayUrls ?? [];
    },
    get rpcUrls() {
      return system?.rpcUrls ?? {};
    },
    env,
    logsFolder: logsFolder(dataDir),
    processes,
    engines() {
      const state = readState(enginesFolder(dataDir));
      return options.engines.map((name) => ({
        name,
        pid: state[name]?.process?.pid,
        restarts: supervision?.restarts(name),
      }));
    },
    restart,
    stop,
    start,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startBalanced(
  address: ListenAddress,
  { report, signal }: InstallationOptions,
  starting: AsyncDisposableStack,
): Promise<NonNullable<DistributedSystemOptions['balancer']>> {
  const command = await asStartError(() => ensureBalancer(reportedTask('balancer', report, signal)));
  const samples = starting.use(await startSamplesServer());
  return { command, address, samplesPort: samples.port };
}

async function startOwnEngines(options: InstallationOptions, starting: AsyncDisposableStack) {
  const { engines: only, isRestricted: restricted, signal, report } = options;
  if (only.length === 0) return { engines: {} as Env, engineLogins: undefined, supervision: undefined };
  const dir = enginesFolder(options.dataDir);
  if (!options.keepEngines) starting.defer(() => stopEngines({ dir, keepData: true, report }));
  const proxied = options.hooks?.proxied;
  const endpoints = await asStartError(() =>
    startEngines({ dir, only, proxied, restricted, signal, report }),
  );
  const supervision =
    options.restarts === 'all' ? starting.use(superviseEngines({ dir, engines: only, report })) : undefined;
  const engineLogins = restricted ? readProcessLogins(dir) : undefined;
  return { engines: environmentOf(endpoints) as Env, engineLogins, supervision };
}
