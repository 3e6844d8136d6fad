/**
 * How far one account's p99 moves while another one floods.
 *
 * Windows alone and windows flooded take turns, and each side's p99 is that of all its requests together: a window's own
 * rests on a handful of requests and jumps. How much of a movement is chance is told by two things: an interval, from
 * resampling whole windows (requests within a window share whatever the machine did in it, so they are not independent),
 * and the movement between two halves of the windows alone, where there is nothing to be moved by.
 *
 * Where it comes from is told by the flooded seconds themselves: a limiter of fixed windows lets the flooder through at
 * the beginning of each minute, as fast as it asks, and refuses it after that. The first is traffic that was sold.
 */
import { ascending, type Latency, latencyOf, quantile } from '@audiosplit/chassis/testing/latency';
import { isFloodedWindow } from '../profiles/noisy-neighbour.ts';

export interface NeighbourWindow extends Latency {
  readonly number: number;
  readonly isFlooded: boolean;
}

export interface NeighbourFindings {
  readonly windows: readonly NeighbourWindow[];
  readonly alone: SideLatency;
  readonly flooded: SideLatency;
  /** Of the flooded: seconds in which the flooder was let through, if only once, and seconds in which it was refused. */
  readonly letThrough: Latency;
  readonly refused: Latency;
  /** By how much the flooded p99 is above that of alone: .2 are 20 %. */
  readonly movement: number;
  /** Middle 90 % of what resampled windows give. */
  readonly movementInterval: readonly [low: number, high: number];
  /** Between every other window alone and the rest of them; its sign means nothing. */
  readonly movementByChance: number;
  readonly goal: number;
  readonly violations: readonly string[];
}

export interface SideLatency extends Latency {
  /** Of the 100 shares 0.5 %, 1.5 % … 99.5 %. */
  readonly curveMs: readonly number[];
}

export interface QuietRequest {
  /** When it was answered. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly window: string | undefined;
}

export interface FlooderAnswer {
  readonly atMs: number;
  readonly isRefused: boolean;
}

export const MOVEMENT_GOAL = 0.2;
/** So many of a side that its p99 rests on thirty requests. */
export const LEAST_REQUESTS = 3_000;
const RESAMPLES = 1_000;

export function analyseNeighbour(
  requests: readonly QuietRequest[],
  flooder: readonly FlooderAnswer[],
  random: () => number,
  leastRequests = LEAST_REQUESTS,
): NeighbourFindings {
  const inWindows = requests.filter(({ window }) => window !== undefined && /^\d+$/.test(window));
  const windows = [...Map.groupBy(inWindows, ({ window }) => Number(window))]
    .sort(([one], [other]) => one - other)
    .map(([number, of]) => ({
      number,
      isFlooded: isFloodedWindow(number),
      durationsMs: of.map(({ durationMs }) => durationMs),
    }));
  const sideOf = (isFlooded: boolean) =>
    windows.filter((window) => window.isFlooded === isFlooded).map(({ durationsMs }) => durationsMs);
  const [aloneWindows, floodedWindows] = [sideOf(false), sideOf(true)];
  const [alone, flooded] = [describeSide(aloneWindows.flat()), describeSide(floodedWindows.flat())];
  const movement = movementBetween(alone.p99Ms, flooded.p99Ms);
  const resampled = ascending(
    Array.from({ length: RESAMPLES }, () =>
      movementBetween(
        p99Of(resample(aloneWindows, random).flat()),
        p99Of(resample(floodedWindows, random).flat()),
      ),
    ),
  );
  const passedSeconds = new Set(flooder.filter(({ isRefused }) => !isRefused).map(secondOf));
  const floodedWhile = (isLetThrough: boolean) =>
    latencyOf(
      inWindows
        .filter(
          (request) =>
            isFloodedWindow(Number(request.window)) && passedSeconds.has(secondOf(request)) === isLetThrough,
        )
        .map(({ durationMs }) => durationMs),
    );
  const everyOther = (parity: number) => aloneWindows.filter((_, n) => n % 2 === parity).flat();
  return {
    windows: windows.map(({ durationsMs, ...window }) => ({ ...window, ...latencyOf(durationsMs) })),
    alone,
    flooded,
    letThrough: floodedWhile(true),
    refused: floodedWhile(false),
    movement,
    movementInterval: [quantile(resampled, 0.05), quantile(resampled, 0.95)],
    movementByChance: movementBetween(p99Of(everyOther(0)), p99Of(everyOther(1))),
    goal: MOVEMENT_GOAL,
    violations: violationsOf(alone, flooded, movement, leastRequests),
  };
}

function violationsOf(
  alone: SideLatency,
  flooded: SideLatency,
  movement: number,
  leastRequests: number,
): string[] {
  const least = Math.min(alone.count, flooded.count);
  if (least < leastRequests) {
    return [
      `nothing can be said of a p99 that rests on ${least} requests; ${leastRequests} are needed on each side`,
    ];
  }
  return movement < MOVEMENT_GOAL
    ? []
    : [
        `the neighbour's p99 went from ${alone.p99Ms.toFixed(1)} to ${flooded.p99Ms.toFixed(1)} ms, by ${(movement * 100).toFixed(0)} %, where less than ${MOVEMENT_GOAL * 100} % is allowed`,
      ];
}

function describeSide(durationsMs: readonly number[]): SideLatency {
  const sorted = ascending(durationsMs);
  return {
    ...latencyOf(durationsMs),
    curveMs: Array.from({ length: 100 }, (_, n) => quantile(sorted, (n + 0.5) / 100)),
  };
}

function movementBetween(beforeMs: number, afterMs: number): number {
  return afterMs / beforeMs - 1;
}

function secondOf({ atMs }: { readonly atMs: number }): number {
  return Math.floor(atMs / 1_000);
}

function p99Of(durationsMs: readonly number[]): number {
  return latencyOf(durationsMs).p99Ms;
}

/** As many, drawn with replacement. */
function resample<T>(items: readonly T[], random: () => number): T[] {
  return items.flatMap(() => {
    const drawn = items[Math.floor(random() * items.length)];
    return drawn === undefined ? [] : [drawn];
  });
}
