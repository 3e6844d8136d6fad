import { PREPARED_JOBS, ROOMY_LIMIT, steadyMix } from './mix.ts';
import type { Profile } from './profile.ts';

export const steady: Profile = {
  name: 'steady',
  purpose: 'The ordinary mix at a constant rate: latencies that one may hold later runs against.',
  defaultMinutes: 5,
  callers: { caller: ROOMY_LIMIT },
  preparedJobs: PREPARED_JOBS,
  build: steadyMix,
};
