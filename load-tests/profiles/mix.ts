/** The ordinary traffic that most profiles use, at a scale of 1 small enough for two cores. */
import { type Journey, RPC_JOURNEYS } from './journeys.ts';
import type { Settings } from './profile.ts';
import { constant, type Load, ramping, type Scenario } from './shapes.ts';

interface Part {
  readonly scenario: string;
  readonly journey: Journey;
  readonly perSecond: number;
  /** For each of its requests: acceptable latencies for an interactive client. */
  readonly boundsMs: readonly [p95: number, p99: number];
}

const QUICK: Part['boundsMs'] = [150, 300];
/** Creation queries the source's size, with InspectSource. */
const ASKS_SOURCE: Part['boundsMs'] = [500, 1_000];

/** Callers read jobs far more often than they create them; polls are part of the creation's journey. */
const PARTS: readonly Part[] = [
  { scenario: 'create', journey: 'createAndPoll', perSecond: 0.5, boundsMs: ASKS_SOURCE },
  { scenario: 'upload', journey: 'uploadSplitDownload', perSecond: 0.2, boundsMs: [750, 1_500] },
  { scenario: 'list', journey: 'listJobs', perSecond: 5, boundsMs: [250, 500] },
  { scenario: 'read', journey: 'readJob', perSecond: 10, boundsMs: [250, 500] },
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

export function steadyMix(settings: Settings, weight = 1): Load {
  const seconds = settings.minutes * 60;
  return mixOf(settings, (journey, base) => constant(journey, { perSecond: base * weight, seconds }));
}

/**
 * The base rate for two fifths, then within seconds `factor` times as much for a fifth, and the base rate for
 * the rest.
 */
export function spikingMix(settings: Settings, factor: number): Load {
  const rampSeconds = 5;
  const fifthSeconds = (settings.minutes * 60 - 2 * rampSeconds) / 5;
  return mixOf(settings, (journey, base) =>
    ramping(journey, base, [
      { perSecond: base, seconds: 2 * fifthSeconds },
      { perSecond: base * factor, seconds: rampSeconds },
      { perSecond: base * factor, seconds: fifthSeconds },
      { perSecond: base, seconds: rampSeconds },
      { perSecond: base, seconds: 2 * fifthSeconds },
    ]),
  );
}

function mixOf(
  { scale, withRpc }: Settings,
  scenarioOf: (journey: Journey, basePerSecond: number) => Scenario,
): Load {
  // Jobs of 48 s of audio complete within seconds if there is no backlog.
  const thresholds: Record<string, readonly string[]> = { job_seconds: ['p(95)<15'] };
  const scenarios: Record<string, Scenario> = {};
  for (const { scenario, journey, perSecond, boundsMs } of PARTS) {
    const isRpc = journey in RPC_JOURNEYS;
    if (isRpc && !withRpc) continue;
    const [p95, p99] = boundsMs;
    scenarios[scenario] = scenarioOf(journey, perSecond * scale);
    const metric = isRpc ? 'grpc_req_duration' : 'http_req_duration';
    thresholds[`${metric}{scenario:${scenario}}`] = [`p(95)<${p95}`, `p(99)<${p99}`];
  }
  return { scenarios, thresholds };
}
