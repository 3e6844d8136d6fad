import { scenario } from 'k6/execution';
import { createJob, waitForJob } from './api.ts';
import { callerNamed, plan } from './plan.ts';

/** The values that `setup` passes to every iteration. */
export interface Prepared {
  readonly jobIds: readonly string[];
}

/** Returns the ids of completed jobs; throws if there are not enough, because nothing could be read. */
export function prepareJobs(count: number): string[] {
  if (count === 0) return [];
  const caller = callerNamed('caller');
  const created = Array.from({ length: count }, () => createJob(caller, plan.sourceUrl));
  const ids = created.flatMap((job) => (job && waitForJob(caller, job.id)?.id) ?? []);
  if (ids.length < count) throw new Error(`of ${count} jobs to read only ${ids.length} were completed`);
  return ids;
}

/** One after the other, over all VUs of the scenario. */
export function nextJobId({ jobIds }: Prepared): string {
  const id = jobIds[scenario.iterationInTest % jobIds.length];
  if (id === undefined) throw new Error('the profile prepares no jobs');
  return id;
}
