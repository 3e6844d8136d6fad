import { createJob, removeJob, waitForJob } from '../api.ts';
import { currentCaller, plan } from '../plan.ts';

/** A job from its request to its segments. It is then deleted, so that a long run does not fill the store. */
export function createAndPoll(): void {
  const caller = currentCaller();
  const created = createJob(caller, plan.sourceUrl);
  if (created === undefined) return;
  const job = waitForJob(caller, created.id);
  if (job !== undefined) removeJob(caller, job.id);
}
