import type { Job } from '../api/client.ts';
import { fieldsOf } from '../audio/fields-of-cut.ts';
import { navigate } from './location.ts';
import { prepareDraft } from './split-drafts.ts';

/** Opens the form with the job's source and settings. */
export function splitOtherwise(job: Job): void {
  const format = 'outputFormat' in job ? job.outputFormat : undefined;
  prepareDraft({ kind: 'url', url: job.sourceUrl }, fieldsOf(job, format));
  navigate('/');
}
