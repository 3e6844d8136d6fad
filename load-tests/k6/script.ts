/**
 * k6's script for every profile: `k6 run script.ts` with a plan in LOAD_PLAN, as `npm run load` passes it.
 *
 * A plan names a profile; the profile's scenarios name the journeys that are exported here.
 */
import { sleep } from 'k6';
import { findProfile } from '../profiles/catalog.ts';
import { untilSecondMs, withCommonThresholds } from '../profiles/shapes.ts';
import { plan } from './plan.ts';
import { prepareJobs } from './prepared.ts';

export { createAndPoll } from './journeys/create-and-poll.ts';
export { hammer, hammerStubServer } from './journeys/hammer.ts';
export { listJobs, readJob, readJobInPhase } from './journeys/look-at-jobs.ts';
export {
  rpcCreateJob,
  rpcInspectSource,
  rpcListJobs,
  rpcReadAccount,
  rpcReadJob,
  rpcReadQuota,
  rpcReadUsage,
  rpcReadWebhooks,
  rpcVerifyKey,
} from './journeys/rpc.ts';
export { cancelJob, sendUpload, stallUpload, trickleSource } from './journeys/slow.ts';
export { uploadSplitDownload } from './journeys/upload-split-download.ts';

const profile = findProfile(plan.profile);
if (profile === undefined) throw new Error(`there is no profile ${plan.profile}`);

export const options = {
  ...withCommonThresholds(profile.build(plan.settings)),
  // No URLs: they contain ids and signatures, and each would be a time series.
  systemTags: ['scenario', 'name', 'method', 'status', 'expected_response', 'check'],
  summaryTrendStats: ['min', 'med', 'p(95)', 'p(99)', 'max', 'count'],
  // The time of the preparations on a busy machine, plus a minute to wait for the start of the next minute.
  setupTimeout: '240s',
};

export function setup() {
  const jobIds = prepareJobs(profile?.preparedJobs ?? 0);
  if (profile?.startsAtSecond !== undefined) {
    sleep(untilSecondMs(Date.now(), profile.startsAtSecond) / 1_000);
  }
  return { jobIds };
}

export function handleSummary(data: unknown): Record<string, string> {
  return { [plan.summaryFile]: JSON.stringify(data) };
}
