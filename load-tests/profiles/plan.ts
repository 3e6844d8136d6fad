/** The plan that the runner passes to the script, as JSON in the environment variable LOAD_PLAN. */
import type { CallerName, RpcService } from './journeys.ts';
import type { Settings } from './profile.ts';

export interface LoadPlan {
  readonly profile: string;
  readonly settings: Settings;
  readonly baseUrl: string;
  /** An audio file that the installation's splitters may fetch. */
  readonly sourceUrl: string;
  readonly callers: Readonly<Partial<Record<CallerName, PlannedCaller>>>;
  readonly rpc: RpcAccess | undefined;
  readonly stubServerUrl: string | undefined;
  readonly summaryFile: string;
}

export interface PlannedCaller {
  readonly apiKey: string;
  /** Empty if the user supplied the key. */
  readonly accountId: string;
}

export interface RpcAccess {
  /** `host:port` of each. */
  readonly hosts: Readonly<Record<RpcService, string>>;
  /** Keyed by method (`audiosplit.jobs.v1.JobsService/GetJob`), for the account of `caller`. */
  readonly tokens: Readonly<Record<string, string>>;
}
