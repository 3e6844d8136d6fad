/** Kind `processes`: every service, splitter and gateway as a separate process, on real engines. */

import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { holdDataDir } from '../../../deploy/embedded/data-dir.ts';
import { giveLogins } from '../../../deploy/processes/database.ts';
import {
  type EnginesEnvironment,
  enginesFolder,
  type FaultHooks,
  type Installation,
  removeInstallationData,
  startInstallation,
} from '../../../deploy/processes/installation.ts';
import { INSTALLATION_ENGINES, upSettings } from '../../../deploy/processes/installation-config.ts';
import { servicePort } from '../../../deploy/processes/process/service-port.ts';
import type { CodeForm } from '../../../deploy/processes/process-plan.ts';
import { describeChange } from '../../../deploy/processes/status/terminal-status.ts';
import type { Report } from '../../../deploy/provision/progress.ts';
import { accountOpener, type OpenAccount } from '../accounts/limits.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type EngineControls, engineControls } from './engine-controls.ts';
import { type ProcessControls, processControls } from './process-controls.ts';
import { ownEnvironment, type SystemEngines, sharedEngines, systemEnvironment } from './shared-engines.ts';

export type { FaultHooks };

export interface ProcessesOptions {
  readonly kind: 'processes';
  /** The name of its database on shared engines. */
  readonly name: string;
  /**
   * One each by default. `service` applies to each service except the splitter, and needs the balancer if
   * above 1.
   */
  readonly replicas?: { readonly gateway?: number; readonly splitter?: number; readonly service?: number };
  readonly code?: CodeForm;
  /** Puts all gateways behind one address, at a free port or at this one. */
  readonly balancer?: boolean | { readonly port: number };
  /**
   * `own` engines are started for it and can be killed and frozen; by default it uses a new database on those
   * of `npm run verify -- engines`.
   */
  readonly engines?: SystemEngines | 'own';
  /**
   * Whether processes sign in to its own engines with their own logins; by default all of them sign in as an
   * administrator.
   */
  readonly isRestricted?: boolean;
  /** What is restarted after it dies; nothing by default. `all` includes the engines. */
  readonly restarts?: 'none' | 'processes' | 'all';
  /**
   * The services' defaults, or those of `npm run up`: short drains, long jobs divided among the splitters.
   */
  readonly settings?: 'default' | 'up';
  /**
   * Kept at the end, except that of its own engines only the logs are kept; by default a new folder that is
   * removed.
   */
  readonly dataDir?: string;
  /** Overrides all other variables of the processes. */
  readonly env?: Env;
  /** Like `env`, but read at each start of a process. */
  readonly currentEnv?: () => Env;
  readonly hooks?: FaultHooks;
  /** Aborting it ends the start. */
  readonly signal?: AbortSignal;
  readonly report?: Report;
}

export interface ProcessesInstallation
  extends Pick<Installation, 'baseUrl' | 'gatewayUrls' | 'rpcUrls' | 'logsFolder' | 'start' | 'stop'>,
    AsyncDisposable {
  readonly dataDir: string;
  readonly endpoints: SystemEngines;
  /** The environment of all processes. */
  readonly env: EnginesEnvironment;
  readonly processes: ProcessControls;
  /** Throws if the engines are shared. */
  readonly engines: EngineControls;
  /** The URL with which each service logs in to the database. */
  logins(): Promise<Readonly<Record<string, string>>>;
  /** When it resolves, limits are in effect at every gateway. */
  readonly openAccount: OpenAccount;
}

const DATABASE_SECRET = 'database secret, long enough for all the tests there are';

export async function startProcesses(options: ProcessesOptions): Promise<ProcessesInstallation> {
  const { name, replicas = {}, settings = 'default', report = () => undefined } = options;
  await using starting = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? starting.use(await temporaryFolder()).path;
  starting.use(await holdDataDir(dataDir));
  const shared = options.engines === 'own' ? undefined : (options.engines ?? (await sharedEngines(name)));
  if (shared === undefined) {
    starting.defer(() => removeInstallationData(dataDir));
    // Postgres runs as a separate account and needs to traverse the folder to its data.
    await chmod(dataDir, 0o711);
  }
  const splitters = replicas.splitter ?? 1;
  const address = options.balancer ? await localAddress(options.balancer) : undefined;
  const installation = starting.use(
    await startInstallation({
      dataDir,
      env: {
        ...(shared === undefined ? ownEnvironment(dataDir) : systemEnvironment(shared, dataDir)),
        ...(settings === 'up' ? upSettings(splitters) : {}),
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(dataDir, 'compiled'),
        ...(address === undefined ? {} : { TRUST_PROXY: '127.0.0.1' }),
        ...options.env,
      },
      currentEnv: options.currentEnv,
      engines: shared === undefined ? INSTALLATION_ENGINES : [],
      isRestricted: options.isRestricted ?? false,
      gateways: replicas.gateway ?? 1,
      splitters,
      replicas: replicas.service ?? 1,
      code: options.code ?? 'source',
      ownLogins: true,
      databaseSecret: DATABASE_SECRET,
      address,
      restarts: options.restarts ?? 'none',
      keepEngines: false,
      signal: options.signal ?? new AbortController().signal,
      report,
      onChange: (each) => report(each.name, describeChange(each)),
      hooks: options.hooks,
    }),
  );
  const engines = engineControls(enginesFolder(dataDir));
  const running = starting.move();
  return {
    get baseUrl() {
      return installation.baseUrl;
    },
    get gatewayUrls() {
      return installation.gatewayUrls;
    },
    get rpcUrls() {
      return installation.rpcUrls;
    },
    dataDir,
    logsFolder: installation.logsFolder,
    get endpoints() {
      return shared ?? engines.endpoints();
    },
    env: installation.env,
    processes: processControls(installation.processes),
    get engines() {
      if (shared !== undefined) throw new Error('the engines are shared with other tests');
      return engines;
    },
    start: installation.start,
    stop: installation.stop,
    // Assigning them again yields the same logins.
    logins: () => giveLogins(installation.env.DATABASE_URL, DATABASE_SECRET),
    openAccount: accountOpener(() => installation.baseUrl, {
      billing: () => remoteAddress(installation.rpcUrls.billing ?? ''),
      keys: testKeysOf('operator'),
      gatewayUrls: () => installation.gatewayUrls,
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function localAddress(given: true | { readonly port: number }) {
  const port = given === true ? await servicePort() : given.port;
  return { host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}` };
}
