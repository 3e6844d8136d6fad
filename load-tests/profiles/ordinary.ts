/** The profiles with ordinary traffic. */
import { spikingMix, steadyMix } from './mix.ts';
import type { Profile } from './profile.ts';

/** The limit is higher than any scale needs: these profiles do not test the limiter. */
const COMMON = { callers: { caller: 1_000_000 }, preparedJobs: 10 };
const SPIKE_FACTOR = 5;

export const smoke: Profile = {
  ...COMMON,
  name: 'smoke',
  purpose: 'Every journey a few times: that the load tests and the installation fit together.',
  defaultMinutes: 0.5,
  build: (settings) => steadyMix(settings, 0.5),
};

export const steady: Profile = {
  ...COMMON,
  name: 'steady',
  purpose: 'The ordinary mix at a constant rate: latencies to hold later runs against.',
  defaultMinutes: 5,
  build: steadyMix,
};

export const spike: Profile = {
  ...COMMON,
  name: 'spike',
  purpose: `The ordinary mix, ${SPIKE_FACTOR} times as much of it within seconds, and back: nothing is refused, and it recovers.`,
  defaultMinutes: 5,
  build(settings) {
    const { scenarios, thresholds } = spikingMix(settings, SPIKE_FACTOR);
    // While jobs arrive faster than the splitters can convert them, they wait in the queue; that is no
    // failure.
    return { scenarios, thresholds: { ...thresholds, job_seconds: ['p(95)<40'] } };
  },
};

export const soak: Profile = {
  ...COMMON,
  name: 'soak',
  purpose: 'The ordinary mix for hours: whether memory, descriptors, connections and backlogs stay flat.',
  defaultMinutes: 120,
  hasToStayFlat: true,
  build: steadyMix,
};
