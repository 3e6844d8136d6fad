import { PREPARED_JOBS, ROOMY_LIMIT, steadyMix } from './mix.ts';
import type { Profile } from './profile.ts';

export const smoke: Profile = {
  name: 'smoke',
  purpose: 'Every journey a few times: that the load tests and the installation fit together.',
  defaultMinutes: 0.5,
  callers: { caller: ROOMY_LIMIT },
  preparedJobs: PREPARED_JOBS,
  build: (settings) => steadyMix(settings, 0.5),
};
