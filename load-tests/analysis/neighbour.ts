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

export interface NeighbourPhase extends Latency {
  readonly number: number;
  readonly isFlooded: boolean;
}

export interface NeighbourFindings {
  readonly phases: readonly NeighbourPhase[];
  /** Of all requests of a side together: to look at, as the verdict is made of pairs. */
  readonly alone: Latency;
  readonly flooded: Latency;
  /** Of the flooded: seconds in which the flooder was let through, if only once, and seconds in which it was refused. */
  readonly letThrough: Latency;
  readonly refused: Latency;
  readonly pairs: number;
  /** By how much a pair's flooded p99 is above that of alone, on average: .2 are 20 %. */
  readonly movement: number;
  /** Middle 90 %. */
  readonly movementInterval: readonly [low: number, high: number];
  /** What phases alone, compared like this with one another, may show. */
  readonly movementByChance: number;
  readonly goal: number;
  readonly violations: readonly string[];
  /** Why nothing can be said; empty where something can. */
  readonly doubts: readonly string[];
}

export interface QuietRequest {
  /** When it was answered. */
  readonly atMs: number;
  readonly durationMs: number;
  /** The number of its phase, or why it belongs to none. */
  readonly window: string | undefined;
}

export interface FlooderAnswer {
  readonly atMs: number;
  readonly isRefused: boolean;
}

export const MOVEMENT_GOAL = 0.2;
/** With two, Student's t is four times as wide as a bell curve; with these, by less than a third wider. */
export const LEAST_PAIRS = 5;
/** So that a phase's p99 rests on twenty requests. */
export const LEAST_REQUESTS = 2_000;

export function analyseNeighbour(
  requests: readonly QuietRequest[],
  flooder: readonly FlooderAnswer[],
  leastRequests = LEAST_REQUESTS,
): NeighbourFindings {
  const inPhases = requests.filter(({ window }) => window !== undefined && /^\d+$/.test(window));
  const byNumber = Map.groupBy(inPhases, ({ window }) => Number(window));
  const phases = [...byNumber]
    .sort(([one], [other]) => one - other)
    .map(([number, of]) => ({ number, isFlooded: isFloodedPhase(number), ...latencyOf(durationsOf(of)) }));
  const sideOf = (isFlooded: boolean) =>
    latencyOf(durationsOf(inPhases.filter(({ window }) => isFloodedPhase(Number(window)) === isFlooded)));
  const [alone, flooded] = [sideOf(false), sideOf(true)];
  const { pairs, movement, interval } = pairedMovement(pairsOf(phases));
  const aloneP99s = phases.filter(({ isFlooded }) => !isFlooded).map(({ p99Ms }) => p99Ms);
  const measures = {
    pairs,
    movement,
    movementInterval: interval,
    movementByChance: movementByChance(aloneP99s, pairs),
    goal: MOVEMENT_GOAL,
  };
  const doubts = doubtsOf(measures, phases, leastRequests);
  return {
    ...measures,
    phases,
    alone,
    flooded,
    ...latencyByOutcome(inPhases, flooder),
    violations: doubts.length === 0 ? violationsOf(measures) : [],
    doubts,
  };
}

type Measures = Pick<
  NeighbourFindings,
  'pairs' | 'movement' | 'movementInterval' | 'movementByChance' | 'goal'
>;

function doubtsOf(measures: Measures, phases: readonly NeighbourPhase[], leastRequests: number): string[] {
  const { pairs, movementInterval, goal } = measures;
  if (pairs < LEAST_PAIRS) {
    return [`nothing can be said of the neighbour from ${pairs} pairs of minutes; ${LEAST_PAIRS} are needed`];
  }
  const least = Math.min(...phases.map(({ count }) => count));
  if (least < leastRequests) {
    return [
      `nothing can be said of a minute's p99 that rests on ${least} requests; ${leastRequests} are needed`,
    ];
  }
  const [low, high] = movementInterval;
  // Whatever chance may show, this is more.
  if (low >= goal) return [];
  return [
    ...(high < goal
      ? []
      : [
          `the neighbour's p99 moved by ${percent(low)} to ${percent(high)}: both less and not less than the ${percent(goal)} that are allowed`,
        ]),
    ...(measures.movementByChance < goal
      ? []
      : [
          `minutes alone differ from one another so much that chance may show a movement of ${percent(measures.movementByChance)}, where ${percent(goal)} have to be distinguished from nothing`,
        ]),
  ];
}

function violationsOf({ movement, movementInterval: [low, high], goal }: Measures): string[] {
  return high < goal
    ? []
    : [
        `the neighbour's p99 moved by ${percent(movement)} (${percent(low)} to ${percent(high)}), where less than ${percent(goal)} are allowed`,
      ];
}

/** Complete ones only, alone first. */
function pairsOf(phases: readonly NeighbourPhase[]): (readonly [aloneMs: number, floodedMs: number])[] {
  return [...Map.groupBy(phases, ({ number }) => pairOfPhase(number)).values()].flatMap((pair) => {
    const alone = pair.find(({ isFlooded }) => !isFlooded);
    const flooded = pair.find(({ isFlooded }) => isFlooded);
    return alone === undefined || flooded === undefined ? [] : [[alone.p99Ms, flooded.p99Ms] as const];
  });
}

function latencyByOutcome(
  inPhases: readonly QuietRequest[],
  flooder: readonly FlooderAnswer[],
): Pick<NeighbourFindings, 'letThrough' | 'refused'> {
  const passedSeconds = new Set(flooder.filter(({ isRefused }) => !isRefused).map(secondOf));
  const flooded = inPhases.filter(({ window }) => isFloodedPhase(Number(window)));
  const latencyWhile = (isLetThrough: boolean) =>
    latencyOf(
      durationsOf(flooded.filter((request) => passedSeconds.has(secondOf(request)) === isLetThrough)),
    );
  return { letThrough: latencyWhile(true), refused: latencyWhile(false) };
}

function durationsOf(requests: readonly QuietRequest[]): number[] {
  return requests.map(({ durationMs }) => durationMs);
}

function secondOf({ atMs }: { readonly atMs: number }): number {
  return Math.floor(atMs / 1_000);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
