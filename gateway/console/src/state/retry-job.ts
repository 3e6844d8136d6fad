import { api } from '../api/client.ts';
import { keepPeaks, keptPeaks } from '../audio/peaks.ts';
import type { SourceHeaders } from '../audio/source-headers.ts';
import { announce } from './announce.ts';
import { navigate } from './location.ts';

/** Creates the job once more, and opens its page. */
export async function retryJob(jobId: string, sourceHeaders?: SourceHeaders): Promise<void> {
  const given = sourceHeaders === undefined ? {} : { sourceHeaders };
  const again = await api.jobs.retry.mutate({ jobId, ...given });
  const peaks = keptPeaks(jobId);
  if (peaks !== undefined) keepPeaks(again.id, peaks);
  announce('The job runs again.');
  navigate(`/jobs/${again.id}`);
}
