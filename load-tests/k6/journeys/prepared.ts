import { scenario } from 'k6/execution';

/** What `setup` hands to every iteration. */
export interface Prepared {
  readonly jobIds: readonly string[];
}

/** One after the other, over all VUs of the scenario. */
export function nextJobId({ jobIds }: Prepared): string {
  const id = jobIds[scenario.iterationInTest % jobIds.length];
  if (id === undefined) throw new Error('the profile prepares no jobs');
  return id;
}
