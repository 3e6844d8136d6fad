import { useEffect, useRef, useState } from 'preact/hooks';
import { api, type Batch, type BatchJobs } from '../api/client.ts';
import type { CurlCall } from '../format/curl-command.ts';
import { formatDate, plural } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { announce, tell } from '../state/announce.ts';
import { navigate, query, readdress } from '../state/location.ts';
import { useQuery } from '../state/query.ts';
import { refusedOf } from '../state/refused-sources.ts';
import { useStore } from '../state/store.ts';
import { BatchArchiveButton } from './batch/batch-archive-button.tsx';
import { BatchFilters } from './batch/batch-filters.tsx';
import { BatchProgress } from './batch/batch-progress.tsx';
import { RefusedSources } from './batch/refused-sources.tsx';
import { JobTable } from './jobs/job-table.tsx';
import { canceledIn, type JobsAddress, jobsPath, parseJobsAddress, statusOf } from './jobs/jobs-address.ts';

const PAGE_SIZE = 50;
const LOOK_AGAIN_MS = 2_500;

type Asking = 'cancel' | 'retry' | undefined;

export function BatchPage({ batchId }: { readonly batchId: string }) {
  const address = parseJobsAddress(useStore(query));
  const place = `/batches/${batchId}`;
  const counts = useQuery(`batch ${batchId}`, () => api.batches.get.query({ batchId }), { againAfterMs });
  const { data: batch, failure } = counts;
  const jobs = useQuery(`jobs ${jobsPath(address, place)}`, () => loadJobs(batchId, address), {
    keepsEarlier: true,
    againAfterMs: () => (batch === undefined ? LOOK_AGAIN_MS : againAfterMs(batch)),
  });
  const [asking, setAsking] = useState<Asking>();
  const isRunning = batch !== undefined && isInProgress(batch);
  const reload = () => {
    counts.reload();
    jobs.reload();
  };
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current === isRunning) return;
    wasRunning.current = isRunning;
    if (!isRunning) tell('The batch has ended.');
    // It has looked last before that, or goes on looking from now on.
    jobs.reload();
  }, [isRunning]);

  if (failure?.code === 'NOT_FOUND') return <BatchNotFound />;
  if (batch === undefined) {
    return (
      <Page title="Batch">
        {failure === undefined ? <Skeleton rows={6} /> : <FailureNotice failure={failure} onRetry={reload} />}
      </Page>
    );
  }
  return (
    <Page
      title={`Batch of ${batch.total.toLocaleString('en')}`}
      lead={`Begun ${formatDate(batch.createdAt)} · ${batchId}`}
      actions={
        <>
          {isRunning && (
            <button type="button" class="button" onClick={() => setAsking('cancel')}>
              Cancel the batch
            </button>
          )}
          {batch.failed > 0 && (
            <button type="button" class="button" onClick={() => setAsking('retry')}>
              <Icon name="retry" size={18} /> Try the failed again
            </button>
          )}
          {!isRunning && batch.completed > 0 && <BatchArchiveButton batchId={batchId} />}
        </>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      <BatchProgress batch={batch} />
      <RefusedSources sources={refusedOf(batchId)} />
      <BatchFilters
        batch={batch}
        filter={address.filter}
        onChange={(filter) => readdress(jobsPath({ ...address, filter, page: 1 }, place))}
      />
      {jobs.failure !== undefined && failure === undefined && (
        <FailureNotice failure={jobs.failure} onRetry={reload} />
      )}
      {jobs.data === undefined ? (
        jobs.failure === undefined && <Skeleton rows={6} />
      ) : (
        <div class="list" aria-busy={jobs.isEarlier}>
          {jobs.data.data.length === 0 ? (
            <Empty title={`No job of the batch is ${address.filter === 'all' ? 'here' : address.filter}`}>
              Jobs move on by themselves; others may be elsewhere in the list.
            </Empty>
          ) : (
            <JobTable rows={jobs.data.data} isOfBatch />
          )}
          <Pager
            pagination={jobs.data.pagination}
            noun="job"
            earlier="Back"
            later="On"
            onTurn={(page) => navigate(jobsPath({ ...address, page }, place))}
          />
        </div>
      )}
      <Curl calls={callsFor(batch)} />
      {asking === 'cancel' && (
        <Confirm
          title={`Cancel ${plural(batch.queued + batch.processing, 'job')}?`}
          action="Cancel the batch"
          dismissal="Go on"
          isDangerous
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            await api.batches.cancel.mutate({ batchId });
            setAsking(undefined);
            reload();
          }}
        >
          <p>Queued and running jobs end at once, without segments. Completed jobs stay.</p>
        </Confirm>
      )}
      {asking === 'retry' && (
        <Confirm
          title={`Try ${plural(batch.failed, 'job')} again?`}
          action="Try again"
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            await api.batches.retry.mutate({ batchId });
            setAsking(undefined);
            announce('The failed jobs are queued again.');
            reload();
          }}
        >
          <p>Each gets a new job in its place. The failed ones stay in your list of jobs.</p>
        </Confirm>
      )}
    </Page>
  );
}

function BatchNotFound() {
  return (
    <Page title="Nothing here">
      <Empty
        title="There is no such batch"
        action={
          <Link class="button button-primary" to="/jobs">
            See your jobs
          </Link>
        }
      >
        Its jobs may have been deleted, or belong to another account.
      </Empty>
    </Page>
  );
}

function loadJobs(batchId: string, address: JobsAddress): Promise<BatchJobs> {
  const canceled = canceledIn(address);
  return api.batches.jobs.query({
    batchId,
    page: address.page,
    limit: PAGE_SIZE,
    ...statusOf(address),
    ...(canceled === undefined ? {} : { canceled }),
  });
}

function isInProgress({ queued, processing }: Batch): boolean {
  return queued + processing > 0;
}

function againAfterMs(batch: Batch): number | undefined {
  return isInProgress(batch) ? LOOK_AGAIN_MS : undefined;
}

/** The API's calls that apply to the batch. */
function callsFor(batch: Batch): CurlCall[] {
  const path = `/api/v1/batches/${batch.id}`;
  const change = (act: string): CurlCall => ({ method: 'POST', path: `${path}/${act}`, credential: 'key' });
  return [
    { path, credential: 'key' },
    { path: `/api/v1/splits?batchId=${batch.id}&sortOrder=asc`, credential: 'key' },
    ...(isInProgress(batch) ? [change('cancel')] : []),
    ...(batch.failed > 0 ? [change('retry')] : []),
    ...(!isInProgress(batch) && batch.completed > 0
      ? [{ path: `${path}/archive`, credential: 'key', options: ['-f', '-o', `${batch.id}.zip`] } as const]
      : []),
  ];
}
