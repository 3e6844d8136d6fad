/** What the load is for: an installation of the run's own, as `npm run up` starts it, or one that runs already. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { readOrMakeSecrets } from '../../deploy/embedded/installation-secrets.ts';
import { SAMPLES_PATH, TOUR_SAMPLE } from '../../deploy/embedded/samples.ts';
import { startConfiguredInstallation } from '../../deploy/processes/configured-installation.ts';
import { removeInstallationData } from '../../deploy/processes/installation.ts';
import { readInstallationConfig } from '../../deploy/processes/installation-config.ts';
import { readRunningState } from '../../deploy/processes/running-state.ts';
import { describeChange } from '../../deploy/processes/status/terminal-status.ts';
import type { Report } from '../../deploy/provision/progress.ts';
import type { PlannedCaller, RpcAccess } from '../profiles/plan.ts';
import { type CallerName, type Profile, RPC_SERVICES, type RpcService } from '../profiles/profile.ts';
import { limitOf, openCaller } from './callers.ts';
import type { TargetArguments } from './command-line.ts';
import { watchedFolders } from './folder-sizes.ts';
import { countByGateway, type GatewayCount } from './gateway-logs.ts';
import { METRICS_ENVIRONMENT, watchedProcess } from './process-metrics.ts';
import type { Watched } from './resource-sampler.ts';

export interface Target extends AsyncDisposable {
  readonly description: string;
  readonly baseUrl: string;
  readonly sourceUrl: string;
  readonly callers: Readonly<Partial<Record<CallerName, PlannedCaller>>>;
  /** Requests a minute, as answers to each caller say. */
  readonly limits: Readonly<Partial<Record<CallerName, number>>>;
  /** Undefined where services are out of reach, or the profile looks at one thing alone. */
  readonly rpc: RpcAccess | undefined;
  /** Answers to lists of jobs so far, by gateway; undefined where their logs are out of reach. */
  countByGateway(): readonly GatewayCount[] | undefined;
  /** Processes and folders, of which there are none where they are out of reach. */
  readonly watched: readonly Watched[];
}

const DATA_DIR = './.data/load';
/** Tells nothing of itself. */
const BALANCER = 'balancer';

/** Throws StartError. */
export async function openTarget(
  args: TargetArguments,
  profile: Profile,
  { signal, report }: { readonly signal: AbortSignal; readonly report: Report },
): Promise<Target> {
  if (args.kind === 'own') return startOwnTarget(args, profile, signal, report);
  const keys = Object.entries(args.apiKeys) as [CallerName, string][];
  return {
    description: args.baseUrl,
    baseUrl: args.baseUrl,
    sourceUrl: args.sourceUrl,
    callers: Object.fromEntries(keys.map(([name, apiKey]) => [name, { apiKey, accountId: '' }])),
    limits: Object.fromEntries(
      await Promise.all(
        keys.map(async ([name, apiKey]) => [name, await limitOf(args.baseUrl, apiKey)] as const),
      ),
    ),
    rpc: undefined,
    countByGateway: () => undefined,
    watched: [],
    async [Symbol.asyncDispose]() {},
  };
}

async function startOwnTarget(
  { gateways, splitters }: Extract<TargetArguments, { kind: 'own' }>,
  profile: Profile,
  signal: AbortSignal,
  report: Report,
): Promise<Target> {
  const dataDir = resolve(DATA_DIR);
  mkdirSync(dataDir, { recursive: true });
  await using starting = new AsyncDisposableStack();
  const env = ownEnvironment(dataDir, profile);
  const configured = await startConfiguredInstallation({
    config: readInstallationConfig(env, process.cwd()),
    env,
    gateways,
    splitters,
    restart: true,
    keepEngines: false,
    signal,
    report,
    onChange: (each) => report(each.name, describeChange(each)),
  });
  // Only now: a folder that another run holds is not ours to empty.
  starting.defer(() => removeInstallationData(dataDir));
  starting.use(configured);
  const { installation } = configured;
  const { baseUrl, logsFolder } = installation;
  const { internalSecret } = await readOrMakeSecrets(dataDir);
  const rpcUrls = readRunningState(dataDir)?.rpcUrls ?? {};
  const urlOf = (service: string) => {
    const url = rpcUrls[service];
    if (url === undefined) throw new Error(`the running installation names no address of ${service}`);
    return new URL(url);
  };
  const operator = { billingUrl: urlOf('billing').href, internalSecret };
  const wanted = Object.entries(profile.callers) as [CallerName, number][];
  const callers: Partial<Record<CallerName, PlannedCaller>> = {};
  for (const [name, requestsPerMinute] of wanted) {
    callers[name] = await openCaller(baseUrl, operator, requestsPerMinute);
  }
  const processes = installation.processes().filter(({ name }) => name !== BALANCER);
  const watched = isWatched(profile)
    ? [
        ...processes.map(({ name, log }) => watchedProcess({ name, logFile: log.path })),
        ...(await watchedFolders(dataDir)),
      ]
    : [];
  const running = starting.move();
  return {
    description: `an installation of its own: ${gateways} gateways behind one balancer, ${splitters} splitters`,
    baseUrl,
    sourceUrl: `${baseUrl}${SAMPLES_PATH}${TOUR_SAMPLE}`,
    callers,
    limits: profile.callers,
    rpc: profile.verdict === undefined ? { hosts: hostsOf(urlOf), internalSecret } : undefined,
    countByGateway: () =>
      Array.from({ length: gateways }, (_, n) => {
        const name = `gateway-${n}`;
        return countByGateway(name, readFileSync(join(logsFolder, `${name}.log`), 'utf8'));
      }),
    watched,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function hostsOf(urlOf: (service: RpcService) => URL): RpcAccess['hosts'] {
  const hosts = RPC_SERVICES.map((service) => [service, urlOf(service).host] as const);
  return Object.fromEntries(hosts) as Record<RpcService, string>;
}

/** Comparisons of latencies do without the looks at the processes. */
export function isWatched({ verdict }: Profile): boolean {
  return verdict === undefined;
}

/** As with `npm run up`, except for the data, the port, and metrics where they are read. */
function ownEnvironment(dataDir: string, profile: Profile): Env {
  const { PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE, FFMPEG_PATH } = process.env;
  return {
    ...{ PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE, FFMPEG_PATH, DATA_DIR: dataDir, PORT: '0' },
    ...(isWatched(profile) ? METRICS_ENVIRONMENT : {}),
  };
}
