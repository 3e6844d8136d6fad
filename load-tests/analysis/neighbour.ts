/**
 * How far one account's p99 moves while another one floods, and whether the run can decide that.
 *
 * Phases alone and flooded phases are minutes of the limiter, compared in pairs (paired-movement.ts). The p99
 * moves by less than the goal (upper end of the interval), by the goal or more (lower end), or the run is
 * inconclusive: the goal is within the interval, chance alone may cause as much, or there is too little data.
 *
 * A limiter with fixed windows lets the flooder through at the beginning of each minute and refuses it after
 * that. The latencies of both are shown, because the requests let through are traffic that was sold.
 */
import { type Latency, latencyOf } from '@audiosplit/chassis/testing/latency';
import { isFloodedPhase, pairOfPhase } from '../profiles/noisy-neighbour.ts';
import { movementByChance, pairedMovement } from './paired-movement.ts';
import type { RequestSample } from './samples.ts';

/** `window` is the number of its phase, or the reason why it belongs to none. */
export type QuietRequest = Pick<RequestSample, 'atMs' | 'durationMs' | 'window'>;

const GOAL = 0.2;
/** With two pairs, Student's t is four times as wide as a bell curve; with five, less than a third wider. */
export const LEAST_PAIRS = 5;
/** So that a phase's p99 is based on twenty requests. */
export const LEAST_REQUESTS = 2_000;

/** Movements are fractions: .2 is 20 %. */
export function analyseNeighbour(
  requests: readonly QuietRequest[],
  flood: readonly Pick<RequestSample, 'atMs' | 'status'>[],
) {
  const inPhases = requests.filter(({ window = '' }) => /^\d+$/.test(window));
  const phases = [...Map.groupBy(inPhases, ({ window }) => Number(window))]
    .sort(([one], [other]) => one - other)
    .map(([number, of]) => ({ number, isFlooded: isFloodedPhase(number), ...latencyOfAll(of) }));
  const [flooded = [], alone = []] = [true, false].map((isFlooded) =>
    inPhases.filter(({ window }) => isFloodedPhase(Number(window)) === isFlooded),
  );
  const { pairs, movement, interval } = pairedMovement(pairsOf(phases));
  const aloneP99s = phases.filter(({ isFlooded }) => !isFlooded).map(({ p99Ms }) => p99Ms);
  const measures = {
    pairs,
    movement,
    movementInterval: interval,
    movementByChance: movementByChance(aloneP99s, pairs),
    goal: GOAL,
  };
  const doubts = doubtsOf(measures, Math.min(...phases.map(({ count }) => count)));
  const passedSeconds = new Set(flood.filter(({ status }) => status !== 429).map(secondOf));
  const whilePassing = (isPassing: boolean) =>
    latencyOfAll(flooded.filter((request) => passedSeconds.has(secondOf(request)) === isPassing));
  return {
    ...measures,
    phases,
    // Over all requests of a side: only for information, because the verdict is based on pairs.
    alone: latencyOfAll(alone),
    flooded: latencyOfAll(flooded),
    // In flooded phases: seconds in which at least one request of the flooder was let through, and seconds in
    // which it was refused.
    letThrough: whilePassing(true),
    refused: whilePassing(false),
    violations: doubts.length === 0 ? violationsOf(measures) : [],
    doubts,
  };
}

interface Measures {
  readonly pairs: number;
  readonly movement: number;
  readonly movementInterval: readonly [low: number, high: number];
  readonly movementByChance: number;
}

/** The reasons why the run is inconclusive; empty if it is conclusive. */
function doubtsOf({ pairs, movementInterval: [low, high], movementByChance }: Measures, requests: number) {
  if (pairs < LEAST_PAIRS) {
    return [`nothing can be said of the neighbour from ${pairs} pairs of minutes; ${LEAST_PAIRS} are needed`];
  }
  if (requests < LEAST_REQUESTS) {
    return [
      `nothing can be said of a minute's p99 that rests on ${requests} requests; ${LEAST_REQUESTS} are needed`,
    ];
  }
  const doubts: string[] = [];
  // Regardless of chance, a lower end at the goal means more than the goal.
  if (low < GOAL && high >= GOAL) {
    doubts.push(
      `the neighbour's p99 moved by ${percent(low)} to ${percent(high)}: both less and not less than the ${percent(GOAL)} that are allowed`,
    );
  }
  if (low < GOAL && movementByChance >= GOAL) {
    doubts.push(
      `minutes alone differ from one another so much that chance may show a movement of ${percent(movementByChance)}, where ${percent(GOAL)} have to be distinguished from nothing`,
    );
  }
  return doubts;
}

function violationsOf({ movement, movementInterval: [low, high] }: Measures): string[] {
  if (high < GOAL) return [];
  return [
    `the neighbour's p99 moved by ${percent(movement)} (${percent(low)} to ${percent(high)}), where less than ${percent(GOAL)} are allowed`,
  ];
}

/** Only complete pairs, with the phase alone first. */
function pairsOf(phases: readonly (Latency & { readonly number: number; readonly isFlooded: boolean })[]) {
  return [...Map.groupBy(phases, ({ number }) => pairOfPhase(number)).values()].flatMap((pair) => {
    const alone = pair.find(({ isFlooded }) => !isFlooded);
    const flooded = pair.find(({ isFlooded }) => isFlooded);
    return alone === undefined || flooded === undefined ? [] : [[alone.p99Ms, flooded.p99Ms] as const];
  });
}

function latencyOfAll(requests: readonly QuietRequest[]): Latency {
  return latencyOf(requests.map(({ durationMs }) => durationMs));
}

function secondOf({ atMs }: { readonly atMs: number }): number {
  return Math.floor(atMs / 1_000);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
