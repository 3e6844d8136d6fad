/**
 * Every service, splitter and gateway as a process of its own, on running engines. As in images, the environment holds
 * the whole configuration.
 *
 * All processes start at once after the migrations, as in a cluster, and stop in the order of the plan.
 */
import { addAbortListener } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import type { Env } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import type { ListenAddress } from '../embedded/listen-address.ts';
import { DATA_SERVICES, type DataService } from '../engines/access.ts';
import type { ProcessLogins } from '../engines/process-logins.ts';
import { type BalancerAddresses, balancerConfig } from './balancer.ts';
import { giveLogins, migrateAll } from './database.ts';
import { type ManagedProcess, type ProcessSpec, startManagedProcess } from './process/managed-process.ts';
import { createProcessLog } from './process/process-log.ts';
import { rpcReadiness } from './process/readiness.ts';
import { servicePort } from './process/service-port.ts';
import { type CodeForm, type PortPair, type Ports, planProcesses, rpcUrl } from './process-plan.ts';

export interface DistributedSystem {
  /** The URL of the balancer, or of the first gateway if there is none. */
  readonly baseUrl: string;
  readonly gatewayUrls: readonly string[];
  /** The RPC address of each service. */
  readonly rpcUrls: Readonly<Record<string, string>>;
  readonly processes: readonly ManagedProcess[];
  stop(): Promise<Readonly<Record<string, number | null>>>;
}

export interface DistributedSystemOptions {
  /**
   * Common to all processes: PATH, DATABASE_URL (an administrator's), KAFKA_BROKERS, REDIS_URL, STORAGE_URL,
   * the keys of identityEnvironment and the secrets, and every setting that differs from its default.
   */
  readonly env: Env & { readonly DATABASE_URL: string };
  /**
   * Read at each start of a process and added to `env`: the values that `npm run operate -- rotate-keys`
   * changes.
   */
  readonly currentEnv?: (() => Env) | undefined;
  /** The services' database logins are derived from it. */
  readonly databaseSecret: string;
  readonly gateways: number;
  readonly splitters: number;
  /** Replicas of each other service; default 1. More than one needs the balancer. */
  readonly replicas?: number;
  readonly code: CodeForm;
  /** The folder of logs, scratch space and the balancer's configuration. */
  readonly directory: string;
  /**
   * Whether services log in to the database with their own roles; otherwise as the user of DATABASE_URL, who
   * acts as their roles.
   */
  readonly ownLogins: boolean;
  /** The logins of each process at the other engines; absent: those in `env`. */
  readonly engineLogins?: ProcessLogins | undefined;
  /** Without a balancer there is no common address of all gateways. */
  readonly balancer:
    | {
        readonly command: string;
        readonly address: ListenAddress;
        readonly samplesPort: number;
      }
    | undefined;
  readonly restart: boolean;
  readonly launch?: ((spec: ProcessSpec) => ProcessSpec) | undefined;
  /** Called when a process starts, ends, or changes its readiness. */
  readonly onChange: (process: ManagedProcess) => void;
  readonly signal: AbortSignal;
}

const START_TIMEOUT_MS = 90_000;
const LOG_LINES_OF_A_FAILURE = 12;
const CHECK_EVERY_MS = 100;

export function logsFolder(directory: string): string {
  return join(directory, 'logs');
}

/** Resolves once every process is ready. Throws StartError with the log of a process that ended early. */
export async function startDistributedSystem(options: DistributedSystemOptions): Promise<DistributedSystem> {
  const { env, directory, code, balancer, signal } = options;
  await mkdir(logsFolder(directory), { recursive: true });
  await migrateAll(env, code);
  const logins = options.ownLogins ? await giveLogins(env.DATABASE_URL, options.databaseSecret) : undefined;
  signal.throwIfAborted();

  const ports = await choosePorts(options);
  const gatewayUrls = ports.gateways.map(({ active }) => rpcUrl(active));
  const baseUrl = balancer?.address.baseUrl ?? gatewayUrls[0] ?? '';
  const configFile = join(directory, 'haproxy.cfg');
  if (balancer !== undefined) {
    const { address, samplesPort } = balancer;
    await writeFile(configFile, balancerConfig({ ...address, samplesPort, ...balancedPorts(ports) }));
  }
  const phases = planProcesses({
    ports,
    code,
    env: { PUBLIC_BASE_URL: baseUrl, ...env },
    currentEnv: options.currentEnv,
    databaseUrlOf: (service) => logins?.[service] ?? env.DATABASE_URL,
    engineLogins: options.engineLogins,
    scratchDir: join(directory, 'scratch'),
    ...(balancer === undefined ? {} : { balancer: { command: balancer.command, configFile, baseUrl } }),
  });

  const { launch = (spec) => spec } = options;
  const start = (spec: ProcessSpec) =>
    startManagedProcess(launch(spec), {
      log: createProcessLog(join(logsFolder(directory), `${spec.name}.log`)),
      restart: options.restart,
      onChange: options.onChange,
    });
  const started = phases.map((specs) => specs.map(start));
  const processes = started.flat();
  const stop = async () => {
    const codes: (readonly [name: string, code: number | null])[] = [];
    for (const phase of started) {
      codes.push(...(await Promise.all(phase.map(async (each) => [each.name, await each.stop()] as const))));
    }
    return Object.fromEntries(codes);
  };
  try {
    await untilReady(processes, signal);
    await untilCallable(Object.values(ports.calls).map(rpcUrl), signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    baseUrl,
    gatewayUrls,
    rpcUrls: Object.fromEntries(Object.entries(ports.calls).map(([name, port]) => [name, rpcUrl(port)])),
    processes,
    stop,
  };
}

async function choosePorts(options: DistributedSystemOptions): Promise<Ports> {
  const isBalanced = options.balancer !== undefined;
  const pair = async (): Promise<PortPair> => ({
    active: await servicePort(),
    ...(isBalanced ? { standby: await servicePort() } : {}),
  });
  const several = (count: number) => Promise.all(Array.from({ length: count }, pair));
  const callPort = async ([only]: readonly PortPair[]) => (isBalanced ? servicePort() : (only?.active ?? 0));
  const services = {} as Record<DataService, readonly PortPair[]>;
  const calls = {} as Record<DataService | 'splitter', number>;
  for (const service of DATA_SERVICES) {
    services[service] = await several(options.replicas ?? 1);
    calls[service] = await callPort(services[service]);
  }
  const splitters = await several(options.splitters);
  calls.splitter = await callPort(splitters);
  return { services, gateways: await several(options.gateways), splitters, calls };
}

function balancedPorts(ports: Ports): Pick<BalancerAddresses, 'gatewayPorts' | 'services'> {
  const all = (pairs: readonly PortPair[]) =>
    pairs.flatMap(({ active, standby }) => (standby === undefined ? [active] : [active, standby]));
  const service = (name: DataService | 'splitter', pairs: readonly PortPair[]) => ({
    name,
    port: ports.calls[name],
    serverPorts: all(pairs),
  });
  return {
    gatewayPorts: all(ports.gateways),
    services: [
      ...DATA_SERVICES.map((name) => service(name, ports.services[name])),
      service('splitter', ports.splitters),
    ],
  };
}

/** Rejects as soon as one process has failed to start. */
async function untilReady(processes: readonly ManagedProcess[], signal: AbortSignal): Promise<void> {
  const given = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const late = processes.filter((each) => each.state().kind !== 'ready').map(({ name }) => name);
    given.reject(new StartError(`not ready within ${START_TIMEOUT_MS / 1_000} s: ${late.join(', ')}`));
  }, START_TIMEOUT_MS);
  using _abort = addAbortListener(signal, () => given.reject(signal.reason));
  const each = processes.map(({ firstReady, log }) =>
    firstReady.catch((error: unknown) => {
      throw new StartError(`${messageOf(error)}\n${log.tail(LOG_LINES_OF_A_FAILURE)}\n(${log.path})`);
    }),
  );
  try {
    await Promise.race([Promise.all(each), given.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The balancer notices shortly afterwards that the processes behind it are ready. Throws StartError. */
async function untilCallable(urls: readonly string[], signal: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  await Promise.all(
    urls.map(async (url) => {
      const check = rpcReadiness(url);
      for (;;) {
        try {
          return await check();
        } catch (error) {
          if (performance.now() > deadlineMs) {
            throw new StartError(`nothing answers behind ${url}: ${messageOf(error)}`);
          }
        }
        await sleep(CHECK_EVERY_MS, undefined, { signal });
      }
    }),
  );
}
