/**
 * One account's p99 while it is alone and while another one floods, in phases that are compared in pairs.
 *
 * A phase is a minute of the limiter: a flood passes at the beginning of each minute and is refused for the
 * rest of it, and only whole minutes contain both in their proportion. The order within pairs alternates
 * (alone, flooded; flooded, alone; …), so that slow changes of the machine cancel out. The first minute is
 * left out, because new processes become faster during it.
 *
 * There is also a third account. In flooded phases its sources trickle and its uploads stall. In phases alone it makes
 * as many jobs and uploads, but cancels the jobs at once and completes the uploads. Any account may do that within its
 * limit, so only what the slow ones hold counts as movement, and not the work of accepting them.
 *
 * In phases alone the generator also sends as many requests as the flood's to a stub server, which refuses them at
 * once. So both members of a pair contain the generator's own load. The last second of every phase is not counted, and
 * the flood ends before it, so that no response to the flood falls into a phase alone.
 */
import { type CallerName, type Journey, STALL_SECONDS, TRICKLE_SECONDS } from './journeys.ts';
import type { Profile } from './profile.ts';
import { constant } from './shapes.ts';

export const PHASE_SECONDS = 60;
/** At the end of each phase. */
const GAP_SECONDS = 1;
export const WARM_UP_SECONDS = PHASE_SECONDS;

/** A minute's p99 is based on sixty of these. */
const QUIET_PER_SECOND = 100;
const QUIET_LIMIT = 1_000_000;
/** The Pro plan's limit. */
const FLOODER_LIMIT = 300;
/** Sixteen sources and eight uploads are held at the same time. */
const TRICKLES_PER_SECOND = 0.8;
const STALLS_PER_SECOND = 1;
const SLOW_LIMIT = 1_000;
/** The same factor as in the limiter's profile. */
export const FLOOD_TIMES = 5;

/** Phases are counted from 0, after the warm-up. */
export function isFloodedPhase(number: number): boolean {
  return number % 4 === 1 || number % 4 === 2;
}

export function pairOfPhase(number: number): number {
  return Math.floor(number / 2);
}

/** The tag of a request: the number of its phase, or the reason why it belongs to none. */
export function phaseTag(sinceStartMs: number): string {
  const second = sinceStartMs / 1_000 - WARM_UP_SECONDS;
  if (second < 0) return 'warm-up';
  return second % PHASE_SECONDS < PHASE_SECONDS - GAP_SECONDS
    ? String(Math.floor(second / PHASE_SECONDS))
    : 'gap';
}

export const noisyNeighbour: Profile = {
  name: 'noisy-neighbour',
  purpose: "A quiet account's p99, alone and while another asks for several times its limit.",
  defaultMinutes: 12,
  callers: { caller: QUIET_LIMIT, neighbour: FLOODER_LIMIT, slow: SLOW_LIMIT },
  preparedJobs: 5,
  verdict: 'noisyNeighbour',
  hasStubServer: true,
  // Half a second into a minute: clocks may differ, and a flood that began before the minute would be let
  // through twice.
  startsAtSecond: 0.5,
  build({ minutes, scale, limits, floodTimes }) {
    const phases = 2 * Math.max(1, Math.floor(minutes / 2));
    const floodPerSecond = ((limits.neighbour ?? FLOODER_LIMIT) * floodTimes) / 60;
    const inRuns = (isFlooded: boolean, name: string, journey: Journey, shape: Shape) =>
      runsOf(phases, isFlooded).map(({ first, length }, n) => [
        `${name}${n + 1}`,
        constant(
          journey,
          { perSecond: shape.perSecond, seconds: length * PHASE_SECONDS - (shape.gapSeconds ?? GAP_SECONDS) },
          { startSeconds: WARM_UP_SECONDS + first * PHASE_SECONDS, caller: shape.caller },
        ),
      ]);
    const flood = { perSecond: floodPerSecond, caller: 'neighbour' } as const;
    // The requests of the last arrivals end before the phase does.
    const slow = (perSecond: number, seconds: number) =>
      ({ perSecond, caller: 'slow', gapSeconds: GAP_SECONDS + seconds + 1 }) as const;
    const trickles = slow(TRICKLES_PER_SECOND, TRICKLE_SECONDS);
    const stalls = slow(STALLS_PER_SECOND, STALL_SECONDS);
    return {
      scenarios: {
        quiet: constant('readJobInPhase', {
          perSecond: QUIET_PER_SECOND * scale,
          // Arrivals after the last gap would belong to a phase that does not exist.
          seconds: WARM_UP_SECONDS + phases * PHASE_SECONDS - GAP_SECONDS,
        }),
        ...Object.fromEntries(inRuns(true, 'flood', 'hammer', flood)),
        ...Object.fromEntries(inRuns(true, 'trickle', 'trickleSource', trickles)),
        ...Object.fromEntries(inRuns(true, 'stall', 'stallUpload', stalls)),
        ...Object.fromEntries(inRuns(false, 'cancel', 'cancelJob', trickles)),
        ...Object.fromEntries(inRuns(false, 'upload', 'sendUpload', stalls)),
        ...Object.fromEntries(inRuns(false, 'elsewhere', 'hammerStubServer', flood)),
      },
      thresholds: { 'http_req_duration{scenario:quiet}': ['p(99)<500'] },
    };
  },
};

interface Shape {
  readonly perSecond: number;
  readonly caller: CallerName;
  /** Time without arrivals at the end of a run. */
  readonly gapSeconds?: number;
}

/** A flood continues from one phase to the next, and so do the requests to the stub server. */
function runsOf(phases: number, isFlooded: boolean): { readonly first: number; readonly length: number }[] {
  const runs: { first: number; length: number }[] = [];
  for (let number = 0; number < phases; number += 1) {
    const last = runs.at(-1);
    if (isFloodedPhase(number) !== isFlooded) continue;
    if (last !== undefined && last.first + last.length === number) last.length += 1;
    else runs.push({ first: number, length: 1 });
  }
  return runs;
}
