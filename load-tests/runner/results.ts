/** What a run has found, as it is written down. */
import { type Latency, latencyOf } from '@audiosplit/chassis/testing/latency';
import { analyseLimit, type LimiterFindings } from '../analysis/limit-windows.ts';
import { analyseNeighbour, type NeighbourFindings } from '../analysis/neighbour.ts';
import { analyseResources, type ProcessSeries, type ResourceFindings } from '../analysis/resources.ts';
import { type RequestSample, type Samples, SETUP } from '../analysis/samples.ts';
import type { Profile, Settings } from '../profiles/profile.ts';
import type { GatewayCount } from './gateway-logs.ts';

export interface RunFacts {
  readonly command: string;
  readonly startedAt: Date;
  readonly seconds: number;
  readonly target: string;
  readonly k6: string;
  readonly cores: number;
}

export interface Results extends Omit<RunFacts, 'startedAt'> {
  readonly profile: string;
  readonly purpose: string;
  readonly startedAt: string;
  readonly minutes: number;
  /** The profile's default. */
  readonly fullMinutes: number;
  readonly outcome: Outcome;
  /** What did not hold. */
  readonly failures: readonly string[];
  /** Why the run is inconclusive. */
  readonly doubts: readonly string[];
  readonly thresholds: readonly Threshold[];
  readonly scenarios: readonly ScenarioResult[];
  readonly checks: readonly CheckResult[];
  readonly droppedIterations: number;
  readonly jobSeconds: { readonly count: number; readonly p50: number; readonly p95: number } | undefined;
  readonly limiter?: LimiterFindings & { readonly gateways: readonly GatewayCount[] | undefined };
  readonly neighbour?: NeighbourFindings;
  readonly resources?: ResourceFindings;
}

/** An inconclusive run is no success. */
export type Outcome = 'held' | 'failed' | 'inconclusive';

export interface Threshold {
  readonly metric: string;
  readonly expression: string;
  readonly holds: boolean;
}

export interface ScenarioResult extends Latency {
  readonly name: string;
  readonly refused: number;
  readonly failed: number;
}

export interface CheckResult {
  readonly name: string;
  readonly passes: number;
  readonly fails: number;
}

/** What k6 hands to handleSummary, as far as it is read. */
export interface K6Summary {
  readonly metrics: Readonly<
    Record<string, { readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>> }>
  >;
}

export function makeResults(input: {
  readonly profile: Profile;
  readonly settings: Settings;
  readonly facts: RunFacts;
  readonly samples: Samples;
  readonly summary: K6Summary;
  readonly gateways: readonly GatewayCount[] | undefined;
  /** Undefined where the profile does not watch processes. */
  readonly resources: readonly ProcessSeries[] | undefined;
}): Results {
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
          requests
            .filter(({ scenario }) => scenario.startsWith('flood'))
            .map(({ atMs, status }) => ({ atMs, isRefused: status === 429 })),
        )
      : undefined;
  const resources =
    input.resources === undefined
      ? undefined
      : analyseResources(input.resources, { isJudged: profile.hasToStayFlat === true });
  const failures = [
    ...thresholds
      .filter(({ holds }) => !holds)
      .map(({ metric, expression }) => `${metric} is not ${expression}`),
    // An empty run crosses no threshold.
    ...(requests.length === 0 ? ['nothing was asked'] : []),
    ...(limiter?.violations ?? []),
    ...(limiter === undefined || limiter.violations.length === 0 ? [] : explanationsOf(limiter.gateways)),
    ...(limiter?.gateways ?? [])
      .filter(({ passed }) => passed === 0)
      .map(({ name }) => `${name} let nothing through: the load did not go through all gateways`),
    ...(neighbour?.violations ?? []),
    ...(resources?.violations ?? []),
  ];
  const doubts = [...(neighbour?.doubts ?? []), ...(resources?.doubts ?? [])];
  return {
    ...facts,
    startedAt: facts.startedAt.toISOString(),
    profile: profile.name,
    purpose: profile.purpose,
    minutes: settings.minutes,
    fullMinutes: profile.defaultMinutes,
    outcome: failures.length > 0 ? 'failed' : doubts.length > 0 ? 'inconclusive' : 'held',
    failures,
    doubts,
    thresholds,
    scenarios: scenariosOf(requests),
    checks: [...samples.checks].map(([name, count]) => ({ name, ...count })),
    droppedIterations: samples.droppedIterations,
    jobSeconds: jobSecondsOf(samples.jobSeconds),
    ...(limiter === undefined ? {} : { limiter }),
    ...(neighbour === undefined ? {} : { neighbour }),
    ...(resources === undefined ? {} : { resources }),
  };
}

function thresholdsOf({ metrics }: K6Summary): Threshold[] {
  return Object.entries(metrics)
    .sort(byKey)
    .flatMap(([metric, { thresholds = {} }]) =>
      Object.entries(thresholds).map(([expression, { ok }]) => ({ metric, expression, holds: ok })),
    );
}

/** Floods of the same kind are one. */
function scenariosOf(requests: readonly RequestSample[]): ScenarioResult[] {
  const byName = Map.groupBy(requests, ({ scenario }) => scenario.replace(/\d+$/, ''));
  return [...byName].sort(byKey).map(([name, of]) => ({
    name,
    ...latencyOf(of.map(({ durationMs }) => durationMs)),
    refused: of.filter(({ status }) => status === 429).length,
    failed: of.filter(({ isExpected }) => !isExpected).length,
  }));
}

/** A limit is exact while Redis counts; a gateway that it leaves waiting lets its own share through on top. */
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

function jobSecondsOf(seconds: readonly number[]): Results['jobSeconds'] {
  if (seconds.length === 0) return undefined;
  const { count, p50Ms, p95Ms } = latencyOf(seconds);
  return { count, p50: p50Ms, p95: p95Ms };
}
