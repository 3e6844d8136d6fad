import { createJob, waitForJob } from './api.ts';
import { callerNamed, plan } from './plan.ts';

/** Gives the ids of completed jobs; throws where there are not enough of them, as nothing could be read. */
export function prepareJobs(count: number): string[] {
  if (count === 0) return [];
  const caller = callerNamed('caller');
  const created = Array.from({ length: count }, () => createJob(caller, plan.sourceUrl));
  const completed = created.map((job) => (job === undefined ? undefined : waitForJob(caller, job.id)));
  const ids = completed.flatMap((job) => (job === undefined ? [] : [job.id]));
  if (ids.length < count) throw new Error(`of ${count} jobs to read only ${ids.length} were completed`);
  return ids;
}
