/** The installation under load: the run's own, as `npm run up` starts it, or one that already runs. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import type { Report } from '../../deploy/provision/progress.ts';
import { limitOf } from '../../tests/harness/accounts/limits.ts';
import { startInstallation } from '../../tests/harness/installation/start-installation.ts';
import { type CallerName, RPC_SERVICES, type RpcService } from '../profiles/journeys.ts';
import type { PlannedCaller, RpcAccess } from '../profiles/plan.ts';
import type { Profile } from '../profiles/profile.ts';
import { SAMPLE_PATH, type TargetArguments } from './command-line.ts';
import { watchedFolders } from './folder-sizes.ts';
import { countByGateway, type GatewayCount } from './gateway-logs.ts';
import { METRICS_ENVIRONMENT, watchedProcess } from './process-metrics.ts';
import type { Watched } from './resource-sampler.ts';
import { signRpcTokens } from './rpc-tokens.ts';

export interface Target extends AsyncDisposable {
  readonly description: string;
  readonly baseUrl: string;
  readonly sourceUrl: string;
  readonly callers: Readonly<Partial<Record<CallerName, PlannedCaller>>>;
  /** The limits per minute that responses to each caller state. */
  readonly limits: Readonly<Partial<Record<CallerName, number>>>;
  /** Undefined if the services are unreachable, or the profile only tests the gateway. */
  readonly rpc: RpcAccess | undefined;
  /** The number of responses to lists of jobs so far, by gateway; undefined if their logs are unavailable. */
  countByGateway(): readonly GatewayCount[] | undefined;
  /** Processes and folders; empty if they are unavailable. */
  readonly watched: readonly Watched[];
}

/** Kept between runs for its logs. */
const DATA_DIR = './.data/load';
/** The largest plan allows this many jobs; the minutes are more than a run can use. */
const ROOM = { concurrentJobs: 50, monthlyMinutes: 10_000_000 };
const RUNNER_VARIABLES = ['HOME', 'XDG_CACHE_HOME', 'FFMPEG_PATH'] as const;

/** Throws StartError. */
export async function openTarget(
  args: TargetArguments,
  profile: Profile,
  { signal, report }: { readonly signal: AbortSignal; readonly report: Report },
): Promise<Target> {
  if (args.kind === 'own') return startOwnTarget(args, profile, { signal, report });
  const { baseUrl, sourceUrl } = args;
  const callers: Partial<Record<CallerName, PlannedCaller>> = {};
  const limits: Partial<Record<CallerName, number>> = {};
  for (const [name, apiKey] of Object.entries(args.apiKeys) as [CallerName, string][]) {
    const limit = await limitOf(baseUrl, { apiKey });
    if (!(limit > 0)) throw new StartError(`${baseUrl} does not accept the key of the ${name}`);
    limits[name] = limit;
    callers[name] = { apiKey, accountId: '' };
  }
  return {
    description: baseUrl,
    baseUrl,
    sourceUrl,
    callers,
    limits,
    rpc: undefined,
    countByGateway: () => undefined,
    watched: [],
    async [Symbol.asyncDispose]() {},
  };
}

async function startOwnTarget(
  { gateways, splitters }: Extract<TargetArguments, { kind: 'own' }>,
  profile: Profile,
  running: { readonly signal: AbortSignal; readonly report: Report },
): Promise<Target> {
  const dataDir = resolve(DATA_DIR);
  mkdirSync(dataDir, { recursive: true });
  const installation = await startInstallation({
    kind: 'processes',
    name: 'load',
    replicas: { gateway: gateways, splitter: splitters },
    balancer: true,
    engines: 'own',
    restarts: 'all',
    settings: 'up',
    dataDir,
    env: {
      ...Object.fromEntries(RUNNER_VARIABLES.map((name) => [name, process.env[name]])),
      ...(isWatched(profile) ? METRICS_ENVIRONMENT : {}),
      // The stub server has sources, too.
      ...(profile.hasStubServer === true ? { EGRESS_ALLOW_CIDRS: '127.0.0.0/8' } : {}),
    },
    ...running,
  });
  await using starting = new AsyncDisposableStack();
  starting.use(installation);
  const { baseUrl, logsFolder, processes, rpcUrls } = installation;
  const callers: Partial<Record<CallerName, PlannedCaller>> = {};
  for (const [name, requestsPerMinute] of Object.entries(profile.callers) as [CallerName, number][]) {
    const { id, apiKey } = await installation.openAccount({ limits: { ...ROOM, requestsPerMinute } });
    callers[name] = { apiKey, accountId: id };
  }
  const watchedProcesses = processes
    .names()
    .filter((name) => name !== 'balancer')
    .map((name) => watchedProcess(name, processes.log(name).path));
  const watched = isWatched(profile) ? [...watchedProcesses, ...(await watchedFolders(dataDir))] : [];
  const opened = starting.move();
  return {
    description: `an installation of its own: ${gateways} gateways behind one balancer, ${splitters} splitters`,
    baseUrl,
    sourceUrl: `${baseUrl}${SAMPLE_PATH}`,
    callers,
    limits: profile.callers,
    rpc:
      profile.verdict === undefined
        ? { hosts: hostsOf(rpcUrls), tokens: signRpcTokens(callers.caller?.accountId ?? '') }
        : undefined,
    countByGateway: () =>
      Array.from({ length: gateways }, (_, n) => {
        const name = `gateway-${n}`;
        return countByGateway(name, readFileSync(join(logsFolder, `${name}.log`), 'utf8'));
      }),
    watched,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function hostsOf(rpcUrls: Readonly<Record<string, string>>): RpcAccess['hosts'] {
  const hosts = RPC_SERVICES.map((service) => [service, new URL(rpcUrls[service] ?? '').host] as const);
  return Object.fromEntries(hosts) as Record<RpcService, string>;
}

/** Profiles that compare latencies do not sample the processes. */
export function isWatched({ verdict }: Profile): boolean {
  return verdict === undefined;
}
