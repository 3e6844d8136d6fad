/** The ordinary traffic that most profiles are made of, at a scale of 1 small enough for two cores. */
import type { Journey, Load, Settings } from './profile.ts';
import { constant, latencyThresholds, ramping } from './shapes.ts';

interface Part {
  readonly scenario: string;
  readonly journey: Journey;
  readonly perSecond: number;
  readonly isRpc?: boolean;
}

/** Callers look at jobs far more often than they make them; a poll is part of the creation's journey. */
const PARTS: readonly Part[] = [
  { scenario: 'create', journey: 'createAndPoll', perSecond: 0.5 },
  { scenario: 'upload', journey: 'uploadSplitDownload', perSecond: 0.2 },
  { scenario: 'list', journey: 'listJobs', perSecond: 5 },
  { scenario: 'read', journey: 'readJob', perSecond: 10 },
  { scenario: 'rpcCreate', journey: 'rpcCreateJob', perSecond: 0.2, isRpc: true },
  { scenario: 'rpcList', journey: 'rpcListJobs', perSecond: 2, isRpc: true },
  { scenario: 'rpcRead', journey: 'rpcReadJob', perSecond: 5, isRpc: true },
  { scenario: 'rpcVerify', journey: 'rpcVerifyKey', perSecond: 2, isRpc: true },
];

/** More than any scale needs: what these profiles are about is not the limiter. */
export const ROOMY_LIMIT = 1_000_000;
export const PREPARED_JOBS = 10;

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
    return [scenario, ramping(journey, { fromPerSecond: base, stages })];
  });
  return { scenarios: Object.fromEntries(scenarios), thresholds: mixThresholds(withRpc) };
}

function partsOf(withRpc: boolean): readonly Part[] {
  return PARTS.filter(({ isRpc = false }) => withRpc || !isRpc);
}

/**
 * Of single requests, in ms, p95 and p99: what an interactive client bears. Creation asks the source for its size. Jobs of
 * 48 s of sound are done within seconds while there is no backlog.
 */
function mixThresholds(withRpc: boolean): Record<string, readonly string[]> {
  return {
    ...latencyThresholds({ list: [250, 500], read: [250, 500], create: [500, 1_000], upload: [750, 1_500] }),
    ...(withRpc
      ? latencyThresholds(
          { rpcCreate: [500, 1_000], rpcList: [150, 300], rpcRead: [150, 300], rpcVerify: [150, 300] },
          'grpc_req_duration',
        )
      : {}),
    job_seconds: ['p(95)<15'],
  };
}
