/**
 * What a profile is: how many requests arrive, how fast and for how long, and what has to hold. A journey says what each
 * arrival does (../k6/journeys). Nothing here imports k6, so the runner and the tests read the same profiles.
 *
 * The model is open: arrivals come by the clock, whether or not earlier ones have been answered, so that a slow system meets
 * a growing queue. All VUs are allocated beforehand, and no iteration may be dropped.
 */

export type Journey =
  | 'createAndPoll'
  | 'listJobs'
  | 'readJob'
  | 'readJobInPhase'
  | 'uploadSplitDownload'
  | 'hammer'
  | 'hammerStubServer'
  | RpcJourney;

export const RPC_SERVICES = ['jobs', 'auth', 'billing', 'account', 'webhooks', 'splitter'] as const;
export type RpcService = (typeof RPC_SERVICES)[number];

/** Journeys over gRPC, and the service that each asks. */
export const RPC_JOURNEYS = {
  rpcCreateJob: 'jobs',
  rpcListJobs: 'jobs',
  rpcReadJob: 'jobs',
  rpcVerifyKey: 'auth',
  rpcReadQuota: 'billing',
  rpcReadUsage: 'billing',
  rpcReadAccount: 'account',
  rpcReadWebhooks: 'webhooks',
  rpcInspectSource: 'splitter',
} as const satisfies Record<string, RpcService>;
export type RpcJourney = keyof typeof RPC_JOURNEYS;

/** `caller` is the account that the profile is about; `neighbour` is another one. */
export type CallerName = 'caller' | 'neighbour';

interface ScenarioBase {
  readonly exec: Journey;
  readonly startTime?: string;
  readonly gracefulStop: string;
  readonly timeUnit: string;
  readonly preAllocatedVUs: number;
  readonly maxVUs: number;
  /** The script looks for CALLER. */
  readonly env: { readonly CALLER: CallerName };
}

export interface ConstantArrivals extends ScenarioBase {
  readonly executor: 'constant-arrival-rate';
  readonly rate: number;
  readonly duration: string;
}

export interface RampingArrivals extends ScenarioBase {
  readonly executor: 'ramping-arrival-rate';
  readonly startRate: number;
  readonly stages: readonly { readonly target: number; readonly duration: string }[];
}

/** As k6 takes it: any executor with a closed model has no type here. */
export type Scenario = ConstantArrivals | RampingArrivals;

export interface Load {
  readonly scenarios: Readonly<Record<string, Scenario>>;
  /** By metric, k6's expressions; those of every profile are added by `withCommonThresholds`. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
}

export interface Settings {
  readonly minutes: number;
  /** Multiplies the rates of profiles that may be of any size. */
  readonly scale: number;
  /** How many times its limit a flooding account asks for. */
  readonly floodTimes: number;
  /** Whether internal services can be reached, for journeys that call them. */
  readonly withRpc: boolean;
  /** Requests a minute that each caller's key is let through. */
  readonly limits: Readonly<Partial<Record<CallerName, number>>>;
}

/** What is found in the samples of a run beyond k6's thresholds. */
export type Verdict = 'limiter' | 'noisyNeighbour';

export interface Profile {
  readonly name: string;
  readonly purpose: string;
  readonly defaultMinutes: number;
  /** Requests a minute that the runner asks the operator to allow. */
  readonly callers: Readonly<Partial<Record<CallerName, number>>>;
  /** Completed jobs of `caller` that are there before the load begins, to be read and listed. */
  readonly preparedJobs: number;
  readonly verdict?: Verdict;
  /** What processes hold may not grow from the run's second quarter to its last. */
  readonly hasToStayFlat?: boolean;
  /** Whether a server beside the installation refuses every request: runner/stub-server.ts. */
  readonly hasStubServer?: boolean;
  /** The second of a minute at which arrivals begin, once all is prepared; absent: at once. */
  readonly startsAtSecond?: number;
  readonly build: (settings: Settings) => Load;
}
