/** Kind `processes`: every service, splitter and gateway as a process of its own, on real engines. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { startEngines } from '../../../deploy/engines/start-engines.ts';
import { stopEngines } from '../../../deploy/engines/stop-engines.ts';
import { ensureBalancer } from '../../../deploy/processes/balancer.ts';
import {
  type DistributedSystem,
  type DistributedSystemOptions,
  startDistributedSystem,
} from '../../../deploy/processes/distributed-system.ts';
import { servicePort } from '../../../deploy/processes/process/service-port.ts';
import type { CodeForm } from '../../../deploy/processes/process-plan.ts';
import { reportedTask } from '../../../deploy/provision/progress.ts';
import { accountOpener, type OpenAccount } from '../accounts/limits.ts';
import { type EngineControls, engineControls } from './engine-controls.ts';
import { type SystemEngines, sharedEngines, systemEnvironment } from './shared-engines.ts';

export interface ProcessesOptions {
  readonly kind: 'processes';
  /** Of its folder, and of its database. */
  readonly name: string;
  /** One each by default. */
  readonly replicas?: { readonly gateway?: number; readonly splitter?: number };
  readonly code?: CodeForm;
  /** Puts all gateways behind one address, at a port of its own choice or at this one. */
  readonly balancer?: boolean | { readonly port: number };
  /** `own` are started for it, to be killed and frozen; by default a new database on those of `npm run verify -- engines`. */
  readonly engines?: SystemEngines | 'own';
  /** Kept at the end; by default a new one that is removed. */
  readonly dataDir?: string;
  readonly env?: Env;
  readonly launch?: DistributedSystemOptions['launch'];
}

export interface ProcessesInstallation extends AsyncDisposable {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly endpoints: SystemEngines;
  /** Of all processes. */
  readonly env: Env & { readonly DATABASE_URL: string; readonly INTERNAL_SECRET: string };
  readonly system: DistributedSystem;
  /** Throws for engines that are shared. */
  engines(): EngineControls;
  /** Limits hold at every gateway once it resolves. */
  readonly openAccount: OpenAccount;
}

export async function startProcesses(options: ProcessesOptions): Promise<ProcessesInstallation> {
  const { name, replicas = {}, code = 'source', env: additions = {}, launch } = options;
  await using starting = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), `audiosplit-${name}-`)));
  if (options.dataDir === undefined) starting.defer(() => rm(dataDir, { recursive: true, force: true }));
  const ownEngines = options.engines === 'own' ? await startOwnEngines(dataDir, starting) : undefined;
  const endpoints =
    ownEngines?.endpoints ?? (options.engines as SystemEngines) ?? (await sharedEngines(name));
  const balancer = options.balancer ? await planBalancer(options.balancer) : undefined;
  const env = {
    ...systemEnvironment(endpoints, dataDir),
    NODE_COMPILE_CACHE: join(dataDir, 'compiled'),
    ...(balancer === undefined ? {} : { TRUST_PROXY: '127.0.0.1' }),
    ...additions,
  } as ProcessesInstallation['env'];
  const system = starting.use(
    await startDistributedSystem({
      gateways: replicas.gateway ?? 1,
      splitters: replicas.splitter ?? 1,
      code,
      directory: dataDir,
      ownLogins: true,
      restart: false,
      env,
      launch,
      ...(balancer === undefined ? {} : { balancer }),
    }),
  );
  const running = starting.move();
  return {
    baseUrl: system.baseUrl,
    dataDir,
    endpoints,
    env,
    system,
    engines() {
      if (ownEngines === undefined) throw new Error('the engines are shared with other tests');
      return ownEngines.controls;
    },
    openAccount: accountOpener(system.baseUrl, {
      billing: () => remoteAddress(system.rpcUrls.billing ?? ''),
      internalSecret: env.INTERNAL_SECRET,
      gatewayUrls: () => system.gatewayUrls,
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startOwnEngines(dataDir: string, starting: AsyncDisposableStack) {
  const dir = join(dataDir, 'engines');
  // Postgres runs under an account of its own and has to pass through to its data.
  await chmod(dataDir, 0o711);
  await mkdir(dir, { mode: 0o711, recursive: true });
  starting.defer(() => stopEngines({ dir }));
  const endpoints = await startEngines({ dir, only: ['postgres', 'redis', 'kafka', 'versitygw'] });
  return { endpoints, controls: engineControls(dir) };
}

async function planBalancer(given: true | { readonly port: number }) {
  const port = given === true ? await servicePort() : given.port;
  const task = reportedTask('balancer', () => undefined, new AbortController().signal);
  return {
    command: await ensureBalancer(task),
    address: { host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}` },
    samplesPort: await servicePort(),
  };
}
