import { PREPARED_JOBS, ROOMY_LIMIT, spikingMix } from './mix.ts';
import type { Profile } from './profile.ts';

const FACTOR = 5;

export const spike: Profile = {
  name: 'spike',
  purpose: `The ordinary mix, ${FACTOR} times as much of it within seconds, and back: nothing is refused, and it recovers.`,
  defaultMinutes: 5,
  callers: { caller: ROOMY_LIMIT },
  preparedJobs: PREPARED_JOBS,
  build(settings) {
    const { scenarios, thresholds } = spikingMix(settings, FACTOR);
    // Splitting queues up while more comes than splitters manage; a queue is the answer to that, and no failure.
    return { scenarios, thresholds: { ...thresholds, job_seconds: ['p(95)<40'] } };
  },
};
