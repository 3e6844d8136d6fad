import { PREPARED_JOBS, ROOMY_LIMIT, steadyMix } from './mix.ts';
import type { Profile } from './profile.ts';

export const soak: Profile = {
  name: 'soak',
  purpose:
    'The ordinary mix for hours: whether memory, descriptors, connections and backlogs of each process stay flat.',
  defaultMinutes: 120,
  callers: { caller: ROOMY_LIMIT },
  preparedJobs: PREPARED_JOBS,
  hasToStayFlat: true,
  build: steadyMix,
};
