/** The actions of an arrival (../k6/journeys), and how long each may take. */

export const RPC_SERVICES = ['jobs', 'auth', 'billing', 'account', 'webhooks', 'splitter'] as const;
export type RpcService = (typeof RPC_SERVICES)[number];

/** Journeys over gRPC, and the service that each calls. */
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

/**
 * How long a journey polls for its job. Jobs that take longer fail a check and are in no percentile, so a
 * bound of `job_seconds` can be exceeded only below this value.
 */
export const JOB_GIVE_UP_SECONDS = 60;

/** How long a source trickles until its job is cancelled. */
export const TRICKLE_SECONDS = 20;
/** How long an upload stalls, below the installation's timeout. */
export const STALL_SECONDS = 8;

/** How long an iteration may take before its VU is missed: its threshold plus a margin. */
const LONGEST_SECONDS = {
  createAndPoll: JOB_GIVE_UP_SECONDS + 5,
  uploadSplitDownload: JOB_GIVE_UP_SECONDS + 5,
  listJobs: 2,
  readJob: 2,
  readJobInPhase: 2,
  hammer: 3,
  hammerStubServer: 1,
  trickleSource: TRICKLE_SECONDS + 2,
  cancelJob: 3,
  stallUpload: STALL_SECONDS + 2,
  sendUpload: 3,
  rpcInspectSource: 2,
};
const LONGEST_RPC_SECONDS = 1;

export type Journey = keyof typeof LONGEST_SECONDS | keyof typeof RPC_JOURNEYS;

export function longestSecondsOf(journey: Journey): number {
  return journey in LONGEST_SECONDS
    ? LONGEST_SECONDS[journey as keyof typeof LONGEST_SECONDS]
    : LONGEST_RPC_SECONDS;
}

/** `caller` is the account under test; `neighbour` and `slow` are others. */
export type CallerName = 'caller' | 'neighbour' | 'slow';
