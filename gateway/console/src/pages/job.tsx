import { useEffect, useRef, useState } from 'preact/hooks';
import { api, failureOf, type Job } from '../api/client.ts';
import { shownStatusOf } from '../api/job-state.ts';
import { describeCut } from '../audio/describe-cut.ts';
import { describeDestination } from '../audio/destination.ts';
import type { CurlCall } from '../format/curl-command.ts';
import { formatBytes, formatDate, formatExactClock, plural } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { ConnectionLost, Empty, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { announce, tell } from '../state/announce.ts';
import { hasEnded, useFollow } from '../state/follow.ts';
import { navigate } from '../state/location.ts';
import { useQuery } from '../state/query.ts';
import { retryJob } from '../state/retry-job.ts';
import { renewBeforeLink } from '../state/session.ts';
import { editCuts, mayBeEdited, splitOtherwise } from '../state/split-otherwise.ts';
import { JobFailure } from './job/job-failure.tsx';
import { JobProgress } from './job/job-progress.tsx';
import { JobResult } from './job/job-result.tsx';
import { RetryDialog } from './job/retry-dialog.tsx';

/** Interval of polling beside the stream, which a proxy may hold up. */
const LOOK_AGAIN_MS = 30_000;

type Asking = 'cancel' | 'remove' | 'headers' | undefined;

export function JobPage({ jobId }: { readonly jobId: string }) {
  const {
    data: job,
    failure,
    reload,
  } = useQuery(`job ${jobId}`, () => api.jobs.get.query({ jobId }), {
    againAfterMs: (read) => (hasEnded(read) ? undefined : LOOK_AGAIN_MS),
  });
  const isInProgress = job !== undefined && !hasEnded(job);
  const { progress, fetching, isLost: isStreamLost } = useFollow(jobId, job, reload);
  const isLost = isInProgress && (isStreamLost || failure?.code === 'UNREACHABLE');
  const [asking, setAsking] = useState<Asking>();
  const isProcessing = isInProgress && progress?.status === 'processing';
  const status = job && (isProcessing ? 'processing' : shownStatusOf(job));

  useEffect(() => {
    if (progress === undefined) return;
    if (status === 'completed') tell('The segments are ready.');
    if (status === 'failed') tell('The job has failed.');
    if (status === 'canceledJob') tell('The job is canceled.');
  }, [status, progress]);
  const wasLost = useRef(false);
  useEffect(() => {
    if (isLost !== wasLost.current) tell(isLost ? 'Connection lost, trying again.' : 'Connected again.');
    wasLost.current = isLost;
  }, [isLost]);

  if (failure?.code === 'JOB_NOT_FOUND') return <JobNotFound />;
  if (job === undefined) {
    return (
      <Page title="Job">
        {failure === undefined ? <Skeleton rows={4} /> : <FailureNotice failure={failure} onRetry={reload} />}
      </Page>
    );
  }
  const { sourceHeaderNames } = job;
  const retry = () => {
    if (sourceHeaderNames !== undefined) setAsking('headers');
    else retryJob(jobId).catch((error) => announce(failureOf(error).message));
  };
  return (
    <Page
      title={job.sourceName}
      lead={
        <>
          {status !== undefined && <StatusBadge status={status} />} <span>{describe(job)}</span>
          {job.batchId !== undefined && <Link to={`/batches/${job.batchId}`}> · in a batch</Link>}
        </>
      }
      actions={
        <>
          {isInProgress && (
            <button type="button" class="button" onClick={() => setAsking('cancel')}>
              Cancel the job
            </button>
          )}
          {hasArchive(job) && (
            <a
              class="button button-primary"
              href={`/console/archives/${jobId}`}
              download
              onClick={renewBeforeLink}
            >
              <Icon name="download" size={18} /> Download all
            </a>
          )}
          {job.status === 'completed' && job.dryRun === true && mayBeEdited(job) && (
            <button type="button" class="button button-primary" onClick={() => editCuts(job)}>
              <Icon name="pencil" size={16} /> Edit these cuts
            </button>
          )}
          {!isInProgress && (
            <button type="button" class="button" onClick={() => splitOtherwise(job)}>
              Other settings
            </button>
          )}
          {!isInProgress && (
            <button
              type="button"
              class="button button-icon"
              onClick={() => setAsking('remove')}
              aria-label="Delete the job"
              title="Delete the job"
            >
              <Icon name="trash" size={18} />
            </button>
          )}
        </>
      }
    >
      {isLost && <ConnectionLost />}
      {failure !== undefined && !isLost && <FailureNotice failure={failure} onRetry={reload} />}
      {isInProgress && (
        <JobProgress
          job={job}
          percent={Math.max(progress?.percent ?? 0, percentOf(job))}
          status={status ?? 'queued'}
          fetching={fetching}
        />
      )}
      {job.status === 'completed' && <JobResult job={job} />}
      {job.status === 'failed' && <JobFailure error={job.error} onRetry={retry} />}
      <Curl calls={[{ path: `/api/v1/splits/${jobId}`, credential: 'key' }, ...callsFor(job)]} />
      {asking === 'headers' && sourceHeaderNames !== undefined && (
        <RetryDialog
          jobId={jobId}
          sourceHeaderNames={sourceHeaderNames}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'cancel' && (
        <Confirm
          title="Cancel this job?"
          action="Cancel the job"
          isDangerous
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            await api.jobs.cancel.mutate({ jobId });
            setAsking(undefined);
            reload();
          }}
        >
          <p>It ends at once, without segments, and uses no minutes.</p>
        </Confirm>
      )}
      {asking === 'remove' && (
        <Confirm
          title="Delete this job?"
          action="Delete for good"
          isDangerous
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            await api.jobs.remove.mutate({ jobId });
            announce('The job is deleted.');
            navigate('/jobs');
          }}
        >
          <p>The job and all its segments are removed. This cannot be undone.</p>
        </Confirm>
      )}
    </Page>
  );
}

function JobNotFound() {
  return (
    <Page title="Nothing here">
      <Empty
        title="There is no such job"
        action={
          <Link class="button button-primary" to="/jobs">
            See your jobs
          </Link>
        }
      >
        It may have been deleted, or belong to another account.
      </Empty>
    </Page>
  );
}

/** The API calls that apply to the job. */
function callsFor(job: Job): CurlCall[] {
  const path = `/api/v1/splits/${job.id}`;
  if (!hasEnded(job)) return [{ path: `${path}/events`, credential: 'key', options: ['-N'] }];
  if (!hasArchive(job)) return [];
  return [{ path: `${path}/archive`, credential: 'key', options: ['-f', '-o', 'segments.zip'] }];
}

/** A dry run has none, nor has a job whose segments lie in a bucket alone. */
function hasArchive(job: Job): boolean {
  return (
    job.status === 'completed' && job.segments.length > 0 && job.dryRun !== true && job.keepCopy !== false
  );
}

function percentOf(job: Job): number {
  return job.status === 'processing' ? job.progress : 0;
}

function describe(job: Job): string {
  const cut = describeCut(job);
  const destination = describeDestination(job);
  if (job.status !== 'completed') return joined([cut, destination, `begun ${formatDate(job.createdAt)}`]);
  return joined([
    plural(job.segments.length, 'segment'),
    cut,
    destination,
    job.sourceSeconds === undefined ? '' : formatExactClock(job.sourceSeconds),
    job.sourceSize === undefined ? '' : formatBytes(job.sourceSize),
    formatDate(job.completedAt),
  ]);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}
