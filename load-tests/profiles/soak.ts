import { PREPARED_JOBS, ROOMY_LIMIT, steadyMix } from './mix.ts';
import type { Profile } from './profile.ts';

export const soak: Profile = {
  name: 'soak',
  purpose: 'The ordinary mix for hours: what leaks, fills up or grows shows in the second half of the plots.',
  defaultMinutes: 120,
  callers: { caller: ROOMY_LIMIT },
  preparedJobs: PREPARED_JOBS,
  build: steadyMix,
};
