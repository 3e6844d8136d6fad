/** The results of a run, in the form in which they are written. */
import { latencyOf } from '@audiosplit/chassis/testing/latency';
import { analyseLimit } from '../analysis/limit-windows.ts';
import { analyseNeighbour } from '../analysis/neighbour.ts';
import { analyseResources, type ProcessSeries } from '../analysis/resources.ts';
import { type RequestSample, type Samples, SETUP } from '../analysis/samples.ts';
import type { Profile, Settings } from '../profiles/profile.ts';
import type { GatewayCount } from './gateway-logs.ts';

export type Results = ReturnType<typeof makeResults>;

/** An inconclusive run does not count as success. */
export type Outcome = 'held' | 'failed' | 'inconclusive';

/** The part of k6's argument to handleSummary that is read. */
export interface K6Summary {
  readonly metrics: Readonly<
    Record<string, { readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>> }>
  >;
}

export function makeResults(input: {
  readonly profile: Profile;
  readonly settings: Settings;
  readonly facts: {
    readonly command: string;
    readonly startedAt: Date;
    readonly seconds: number;
    readonly target: string;
    readonly k6: string;
    readonly cores: number;
  };
  readonly samples: Samples;
  readonly summary: K6Summary;
  readonly gateways: readonly GatewayCount[] | undefined;
  /** Undefined if the profile does not watch processes. */
  readonly resources: readonly ProcessSeries[] | undefined;
}) {
  const { profile, settings, facts, samples, summary, gateways } = input;
  const requests = samples.requests.filter(({ scenario }) => scenario !== SETUP);
  const thresholds = thresholdsOf(summary);
  const limiter =
    profile.verdict === 'limiter'
      ? {
          ...analyseLimit(samples.answers, settings.limits.caller ?? Number.NaN, settings.minutes),
          gateways,
        }
      : undefined;
  const neighbour =
    profile.verdict === 'noisyNeighbour'
      ? analyseNeighbour(
          requests.filter(({ scenario }) => scenario === 'quiet'),
          requests.filter(({ scenario }) => scenario.startsWith('flood')),
        )
      : undefined;
  const resources =
    input.resources && analyseResources(input.resources, { isJudged: profile.hasToStayFlat === true });
  const failures = [
    ...thresholds
      .filter(({ holds }) => !holds)
      .map(({ metric, expression }) => `${metric} is not ${expression}`),
    // An empty run crosses no threshold.
    ...(requests.length === 0 ? ['nothing was asked'] : []),
    ...(limiter?.violations ?? []),
    ...(limiter?.violations.length ? explanationsOf(gateways) : []),
    ...(limiter?.gateways ?? [])
      .filter(({ passed }) => passed === 0)
      .map(({ name }) => `${name} let nothing through: the load did not go through all gateways`),
    ...(neighbour?.violations ?? []),
    ...(resources?.violations ?? []),
  ];
  const doubts = [...(neighbour?.doubts ?? []), ...(resources?.doubts ?? [])];
  const outcome: Outcome = failures.length > 0 ? 'failed' : doubts.length > 0 ? 'inconclusive' : 'held';
  const { count, p50Ms, p95Ms } = latencyOf(samples.jobSeconds);
  return {
    ...facts,
    startedAt: facts.startedAt.toISOString(),
    profile: profile.name,
    purpose: profile.purpose,
    minutes: settings.minutes,
    fullMinutes: profile.defaultMinutes,
    outcome,
    // The conditions that did not hold, and the reasons why the run is inconclusive.
    failures,
    doubts,
    thresholds,
    scenarios: scenariosOf(requests),
    checks: [...samples.checks].map(([name, check]) => ({ name, ...check })),
    droppedIterations: samples.droppedIterations,
    jobSeconds: count === 0 ? undefined : { count, p50: p50Ms, p95: p95Ms },
    limiter,
    neighbour,
    resources,
  };
}

function thresholdsOf({ metrics }: K6Summary) {
  return Object.entries(metrics)
    .sort(byKey)
    .flatMap(([metric, { thresholds = {} }]) =>
      Object.entries(thresholds).map(([expression, { ok }]) => ({ metric, expression, holds: ok })),
    );
}

/** Floods of the same kind count as one. */
function scenariosOf(requests: readonly RequestSample[]) {
  const byName = Map.groupBy(requests, ({ scenario }) => scenario.replace(/\d+$/, ''));
  return [...byName].sort(byKey).map(([name, of]) => ({
    name,
    ...latencyOf(of.map(({ durationMs }) => durationMs)),
    refused: of.filter(({ status }) => status === 429).length,
    failed: of.filter(({ isExpected }) => !isExpected).length,
  }));
}

/**
 * A limit is exact while Redis counts; a gateway that gets no response from Redis lets its own share through
 * in addition.
 */
function explanationsOf(gateways: readonly GatewayCount[] = []): string[] {
  return gateways
    .filter(({ timesAlone }) => timesAlone > 0)
    .map(
      ({ name, timesAlone }) =>
        `${name} counted by itself ${timesAlone === 1 ? 'once' : `${timesAlone} times`}, as Redis did not answer in time: this explains more than the limit, and the machine was too busy for the run`,
    );
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
