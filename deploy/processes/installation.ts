/**
 * `npm run up`: engines, migrations, processes and the balancer before them, on one machine, with all state in one
 * folder that one installation holds at a time.
 *
 * What was started is disposed in the reverse order: the processes phase by phase, then the engines.
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { checkFfmpeg } from '@audiosplit/splitter/media/ffmpeg/binary';
import type { LocalConfig } from '../embedded/config.ts';
import { holdDataDir } from '../embedded/data-dir.ts';
import { type DevelopmentAccount, openDevelopmentAccount } from '../embedded/development-account.ts';
import { readOrMakeSecrets } from '../embedded/installation-secrets.ts';
import { settleListenAddress } from '../embedded/listen-address.ts';
import type { EngineName, ProxiedListener } from '../engines/engine.ts';
import { readState } from '../engines/engines-state.ts';
import { environmentOf } from '../engines/environment.ts';
import { startEngines } from '../engines/start-engines.ts';
import { stopEngines } from '../engines/stop-engines.ts';
import { superviseEngines } from '../engines/supervise-engines.ts';
import { identifyProcess } from '../provision/process-identity.ts';
import { type Report, reportedTask } from '../provision/progress.ts';
import { ensureBalancer } from './balancer.ts';
import { type DistributedSystem, logsFolder, startDistributedSystem } from './distributed-system.ts';
import { explained } from './explained.ts';
import { enginesToStart, processEnvironment } from './installation-config.ts';
import type { ManagedProcess, ProcessSpec } from './process/managed-process.ts';
import { createRecordedRestarts } from './recorded-restart.ts';
import {
  forgetRunningState,
  type RecordedProcess,
  type RecordedRestart,
  stopLeftBehind,
  writeRunningState,
} from './running-state.ts';
import { startSamplesServer } from './samples-server.ts';

export interface Installation extends AsyncDisposable {
  readonly baseUrl: string;
  readonly development: DevelopmentAccount;
  readonly processes: readonly ManagedProcess[];
  readonly engines: () => readonly RunningEngine[];
  readonly logsFolder: string;
  /** Replaces every process, one after the other; told in the running state. A second call joins the first. */
  restart(): Promise<void>;
}

export interface RunningEngine {
  readonly name: EngineName;
  readonly pid: number | undefined;
  /** Undefined where nobody starts it again. */
  readonly restarts: number | undefined;
}

export interface InstallationOptions {
  readonly config: LocalConfig;
  readonly env: Env;
  readonly gateways: number;
  readonly splitters: number;
  readonly restart: boolean;
  readonly keepEngines: boolean;
  readonly signal: AbortSignal;
  readonly report: Report;
  readonly onChange: (process: ManagedProcess) => void;
  readonly interposed?: Interposed;
}

/** Whoever stands between the processes and what they run on, to break it. */
export interface Interposed {
  readonly proxied: Partial<Record<EngineName, ProxiedListener>>;
  /** Given the engines' addresses, gives those that the processes are told. */
  readonly environment: (
    ofEngines: Env & { readonly DATABASE_URL: string },
  ) => Promise<{ readonly DATABASE_URL: string } & Env>;
  readonly launch: (spec: ProcessSpec) => ProcessSpec;
}

export function enginesFolder(dataDir: string): string {
  return join(dataDir, 'engines');
}

/** All but the logs, the engines' with them, once the installation is down. */
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

/** Throws ConfigError, StartError. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { config, env, gateways, splitters, restart, signal, report } = options;
  const { dataDir } = config;
  if (process.platform !== 'linux') {
    throw new StartError('separate processes on real engines run on Linux only: use npm start here');
  }
  await using starting = new AsyncDisposableStack();
  starting.use(await holdDataDir(dataDir));
  for (const name of await stopLeftBehind(dataDir)) report(name, 'was left behind by a killed run, stopped');
  const address = await settleListenAddress(config.host, config.port);
  if (config.ffmpegPath !== undefined) await checkFfmpeg(config.ffmpegPath);
  const secrets = await readOrMakeSecrets(dataDir);
  const common = processEnvironment({ env, config, secrets, baseUrl: address.baseUrl, splitters });

  const balancer = await explained(() => ensureBalancer(reportedTask('balancer', report, signal)));
  const engines = enginesFolder(dataDir);
  const wanted = enginesToStart(config);
  if (!options.keepEngines) {
    starting.defer(() => stopEngines({ dir: engines, keepData: true, report }));
  }
  const endpoints = await explained(() =>
    startEngines({ dir: engines, only: wanted, proxied: options.interposed?.proxied, signal, report }),
  );
  const supervision = restart
    ? starting.use(superviseEngines({ dir: engines, engines: wanted, report }))
    : undefined;
  const ofEngines = {
    ...environmentOf(endpoints),
    DATABASE_URL: config.databaseUrl ?? endpoints.databaseUrl,
  };
  const samples = starting.use(await startSamplesServer());

  const recorded = new Map<string, readonly RecordedProcess[]>();
  const supervisor = identifyProcess(process.pid);
  if (supervisor === null) throw new Error('this process runs');
  let serving: Pick<DistributedSystem, 'baseUrl' | 'rpcUrls'> | undefined;
  let lastRestart: RecordedRestart | undefined;
  const record = () => {
    const { baseUrl, rpcUrls } = serving ?? {};
    const served = baseUrl === undefined || rpcUrls === undefined ? {} : { baseUrl, rpcUrls };
    const restarted = lastRestart === undefined ? {} : { rollingRestart: lastRestart };
    writeRunningState(dataDir, {
      supervisor,
      ...served,
      processes: [...recorded.values()].flat(),
      ...restarted,
    });
  };
  record();
  starting.defer(async () => forgetRunningState(dataDir));
  // The last resort of a process that leaves without having stopped everything, as on a second Ctrl-C.
  const killAll = () => {
    for (const { pid } of [...recorded.values()].flat()) killGroup(pid);
  };
  process.on('exit', killAll);
  starting.defer(async () => void process.off('exit', killAll));

  report('processes', 'migrations, then all at once …');
  const system = starting.use(
    await startDistributedSystem({
      env: { ...common, ...((await options.interposed?.environment(ofEngines)) ?? ofEngines) },
      gateways,
      splitters,
      code: 'source',
      directory: dataDir,
      ownLogins: config.databaseUrl === undefined,
      balancer: { command: balancer, address, samplesPort: samples.port },
      restart,
      launch: options.interposed?.launch,
      signal,
      onChange(each) {
        recorded.set(
          each.name,
          each.identities().map((identity) => ({ name: each.name, ...identity })),
        );
        record();
        options.onChange(each);
      },
    }),
  );
  const development = await openDevelopmentAccount({
    dataDir,
    addressOf: (service) => remoteAddress(system.rpcUrls[service] ?? ''),
    internalSecret: secrets.internalSecret,
    clock: systemClock,
  });
  serving = system;
  record();
  const restartAll = createRecordedRestarts({
    processes: system.processes,
    report,
    onChange(restarted) {
      lastRestart = restarted;
      record();
    },
  });
  const running = starting.move();
  return {
    restart: restartAll,
    baseUrl: system.baseUrl,
    development,
    processes: system.processes,
    engines: () => {
      const state = readState(engines);
      return wanted.map((name) => ({
        name,
        pid: state[name]?.process?.pid,
        restarts: supervision?.restarts(name),
      }));
    },
    logsFolder: logsFolder(dataDir),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
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
