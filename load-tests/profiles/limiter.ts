import type { Profile } from './profile.ts';
import { constant } from './shapes.ts';

/** The Enterprise plan's, so that windows contain many requests. */
const LIMIT = 1_000;
const TIMES_THE_LIMIT = 5;
/** Just before a minute begins, so that as few windows as possible are cut off. */
const STARTS_AT_SECOND = 55;
/**
 * Added to the full windows: the time from the start to the first of them, and as much after the last as
 * clocks may differ.
 */
const ALIGNMENT_SECONDS = 15;

export const limiter: Profile = {
  name: 'limiter',
  purpose: `One key at ${TIMES_THE_LIMIT} times its limit through all gateways: each full window passes exactly the limit.`,
  defaultMinutes: 3,
  callers: { caller: LIMIT },
  preparedJobs: 0,
  verdict: 'limiter',
  startsAtSecond: STARTS_AT_SECOND,
  build({ minutes, limits }) {
    const perSecond = ((limits.caller ?? LIMIT) * TIMES_THE_LIMIT) / 60;
    const seconds = Math.max(1, Math.round(minutes)) * 60 + ALIGNMENT_SECONDS;
    return {
      scenarios: { hammer: constant('hammer', { perSecond, seconds }) },
      thresholds: { 'http_req_duration{scenario:hammer}': ['p(99)<500'] },
    };
  },
};
