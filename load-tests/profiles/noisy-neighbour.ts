/**
 * One account's p99 while it is alone and while another one floods, in windows that take turns, so that whatever else
 * changes on the machine in these minutes changes for both sides.
 */
import type { Profile } from './profile.ts';
import { constant } from './shapes.ts';

export const WINDOW_SECONDS = 20;
/** At the start of each window, not looked at: connections open, caches settle. */
const SETTLING_SECONDS = 2;

const QUIET_PER_SECOND = 50;
const QUIET_LIMIT = 1_000_000;
/** The Pro plan's. */
const FLOODER_LIMIT = 300;
const TIMES_THE_LIMIT = 20;
const LEAST_ROUNDS = 3;

/** Windows are counted from 0, and the first is alone. */
export function isFloodedWindow(number: number): boolean {
  return number % 2 === 1;
}

/** What a request is tagged with: the number of its window, or `settling`. */
export function windowTag(sinceStartMs: number): string {
  const seconds = sinceStartMs / 1_000;
  return seconds % WINDOW_SECONDS < SETTLING_SECONDS
    ? 'settling'
    : String(Math.floor(seconds / WINDOW_SECONDS));
}

export const noisyNeighbour: Profile = {
  name: 'noisy-neighbour',
  purpose: `A quiet account's p99, alone and while another asks for ${TIMES_THE_LIMIT} times its limit.`,
  defaultMinutes: 6,
  callers: { caller: QUIET_LIMIT, neighbour: FLOODER_LIMIT },
  preparedJobs: 5,
  verdict: 'noisyNeighbour',
  build({ minutes, scale, limits }) {
    const rounds = Math.max(LEAST_ROUNDS, Math.round((minutes * 60) / (2 * WINDOW_SECONDS)));
    const floodPerSecond = ((limits.neighbour ?? FLOODER_LIMIT) * TIMES_THE_LIMIT) / 60;
    const floods = Array.from({ length: rounds }, (_, round) => [
      `flood${round + 1}`,
      constant('hammer', {
        perSecond: floodPerSecond,
        seconds: WINDOW_SECONDS,
        startSeconds: (2 * round + 1) * WINDOW_SECONDS,
        caller: 'neighbour',
      }),
    ]);
    return {
      scenarios: {
        quiet: constant('readJobInWindow', {
          perSecond: QUIET_PER_SECOND * scale,
          seconds: 2 * rounds * WINDOW_SECONDS,
        }),
        ...Object.fromEntries(floods),
      },
      thresholds: { 'http_req_duration{scenario:quiet}': ['p(99)<500'] },
    };
  },
};
