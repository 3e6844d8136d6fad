/** The ordinary traffic that most profiles are made of, at a scale of 1 small enough for two cores. */
import { type Journey, RPC_JOURNEYS } from './journeys.ts';
import type { Settings } from './profile.ts';
import { constant, type Load, ramping } from './shapes.ts';

interface LatencyBounds {
  readonly p95: number;
  readonly p99: number;
}

interface Part {
  readonly scenario: string;
  readonly journey: Journey;
  readonly perSecond: number;
  /** Of its single requests: what an interactive client bears. */
  readonly boundsMs: LatencyBounds;
}

const QUICK: LatencyBounds = { p95: 150, p99: 300 };
/** Creation asks the source for its size, by InspectSource. */
const ASKS_SOURCE: LatencyBounds = { p95: 500, p99: 1_000 };

/** Callers look at jobs far more often than they make them; a poll is part of the creation's journey. */
const PARTS: readonly Part[] = [
  { scenario: 'create', journey: 'createAndPoll', perSecond: 0.5, boundsMs: ASKS_SOURCE },
  { scenario: 'upload', journey: 'uploadSplitDownload', perSecond: 0.2, boundsMs: { p95: 750, p99: 1_500 } },
  { scenario: 'list', journey: 'listJobs', perSecond: 5, boundsMs: { p95: 250, p99: 500 } },
  { scenario: 'read', journey: 'readJob', perSecond: 10, boundsMs: { p95: 250, p99: 500 } },
  { scenario: 'rpcCreate', journey: 'rpcCreateJob', perSecond: 0.2, boundsMs: ASKS_SOURCE },
  { scenario: 'rpcList', journey: 'rpcListJobs', perSecond: 2, boundsMs: QUICK },
  { scenario: 'rpcRead', journey: 'rpcReadJob', perSecond: 5, boundsMs: QUICK },
  { scenario: 'rpcVerify', journey: 'rpcVerifyKey', perSecond: 2, boundsMs: QUICK },
  { scenario: 'rpcQuota', journey: 'rpcReadQuota', perSecond: 1, boundsMs: QUICK },
  { scenario: 'rpcUsage', journey: 'rpcReadUsage', perSecond: 1, boundsMs: QUICK },
  { scenario: 'rpcAccount', journey: 'rpcReadAccount', perSecond: 1, boundsMs: QUICK },
  { scenario: 'rpcWebhooks', journey: 'rpcReadWebhooks', perSecond: 1, boundsMs: QUICK },
  { scenario: 'rpcInspect', journey: 'rpcInspectSource', perSecond: 0.5, boundsMs: ASKS_SOURCE },
];

export function steadyMix({ minutes, scale, withRpc }: Settings, weight = 1): Load {
  const scenarios = partsOf(withRpc).map(({ scenario, journey, perSecond }) => [
    scenario,
    constant(journey, { perSecond: perSecond * scale * weight, seconds: minutes * 60 }),
  ]);
  return { scenarios: Object.fromEntries(scenarios), thresholds: mixThresholds(withRpc) };
}

/** Base for two fifths, up within seconds, `factor` times as much for a fifth, and back for the rest. */
export function spikingMix({ minutes, scale, withRpc }: Settings, factor: number): Load {
  const rampSeconds = 5;
  const fifthSeconds = (minutes * 60 - 2 * rampSeconds) / 5;
  const scenarios = partsOf(withRpc).map(({ scenario, journey, perSecond }) => {
    const base = perSecond * scale;
    const stages = [
      { perSecond: base, seconds: 2 * fifthSeconds },
      { perSecond: base * factor, seconds: rampSeconds },
      { perSecond: base * factor, seconds: fifthSeconds },
      { perSecond: base, seconds: rampSeconds },
      { perSecond: base, seconds: 2 * fifthSeconds },
    ];
    return [scenario, ramping(journey, base, stages)];
  });
  return { scenarios: Object.fromEntries(scenarios), thresholds: mixThresholds(withRpc) };
}

function partsOf(withRpc: boolean): readonly Part[] {
  return PARTS.filter(({ journey }) => withRpc || !(journey in RPC_JOURNEYS));
}

/** Jobs of 48 s of sound are done within seconds while there is no backlog. */
function mixThresholds(withRpc: boolean): Record<string, readonly string[]> {
  const ofRequests = partsOf(withRpc).map(({ scenario, journey, boundsMs: { p95, p99 } }) => {
    const metric = journey in RPC_JOURNEYS ? 'grpc_req_duration' : 'http_req_duration';
    return [`${metric}{scenario:${scenario}}`, [`p(95)<${p95}`, `p(99)<${p99}`]];
  });
  return { ...Object.fromEntries(ofRequests), job_seconds: ['p(95)<15'] };
}
