import type { CompletedJob, Job } from '../api/client.ts';
import { toDestination } from '../audio/destination.ts';
import { MAX_RANGES } from '../audio/editable-plan.ts';
import { fieldsOf, fieldsOfSegments } from '../audio/fields-of-cut.ts';
import { keptPeaks } from '../audio/peaks.ts';
import { navigate } from './location.ts';
import { prepareDraft, type SplitDraft } from './split-drafts.ts';

/** Opens the form with the job's source and settings. */
export function splitOtherwise(job: Job): void {
  const format = 'outputFormat' in job ? job.outputFormat : undefined;
  prepareDraft({ ...placesOf(job), text: fieldsOf(job, format) });
  navigate('/');
}

export function mayBeEdited({ segments }: CompletedJob): boolean {
  return segments.length > 0 && segments.length <= MAX_RANGES;
}

/** Opens the form with what a dry run has found as a plan to edit. */
export function editCuts(dryRun: CompletedJob): void {
  const { id: dryRunId, outputFormat, segments } = dryRun;
  const seconds = dryRun.sourceSeconds ?? segments.at(-1)?.endTime ?? 0;
  prepareDraft({
    ...placesOf(dryRun),
    text: fieldsOfSegments(dryRun, outputFormat, segments, seconds),
    look: { seconds, peaks: keptPeaks(dryRunId), isOver: true, dryRunId },
  });
  navigate('/');
}

/** Where it comes from and goes. The values of its headers are gone: the form asks for them. */
function placesOf(job: Job): Pick<SplitDraft, 'source' | 'headers' | 'destination'> {
  const { sourceUrl, sourceHeaderNames = [] } = job;
  const headers = sourceHeaderNames.map((name) => `${name}: `).join('\n');
  return { source: { kind: 'url', url: sourceUrl }, headers, destination: toDestination(job) };
}
