/**
 * How far one account's p99 moves while another one floods, and whether the run can tell.
 *
 * Phases alone and phases flooded are minutes of the limiter, compared in pairs (paired-movement.ts). It moves by less
 * than the goal (upper end of the interval), by the goal or more (lower end), or the run is inconclusive: the goal is
 * within the interval, chance alone may show as much, or there is too little data.
 *
 * A limiter of fixed windows lets the flooder through at the beginning of each minute and refuses it after that; the
 * latencies of both are shown, as the first is traffic that was sold.
 */
import { type Latency, latencyOf } from '@audiosplit/chassis/testing/latency';
import { isFloodedPhase, pairOfPhase } from '../profiles/noisy-neighbour.ts';
import { movementByChance, pairedMovement } from './paired-movement.ts';
import type { RequestSample } from './samples.ts';

/** Its window is the number of its phase, or why it belongs to none. */
export type QuietRequest = Pick<RequestSample, 'atMs' | 'durationMs' | 'window'>;

const GOAL = 0.2;
/** With two, Student's t is four times as wide as a bell curve; with these, by less than a third wider. */
export const LEAST_PAIRS = 5;
/** So that a phase's p99 rests on twenty requests. */
export const LEAST_REQUESTS = 2_000;

/** Movements are shares: .2 are 20 %. */
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
    // Of all requests of a side together: to look at, as the verdict is made of pairs.
    alone: latencyOfAll(alone),
    flooded: latencyOfAll(flooded),
    // Of the flooded: seconds in which the flooder was let through, if only once, and seconds in which it was refused.
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

/** Why nothing can be said; empty where something can. */
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
  // Whatever chance may show, a lower end at the goal is more.
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

/** Complete ones only, alone first. */
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
