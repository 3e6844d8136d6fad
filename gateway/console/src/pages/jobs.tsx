import { useState } from 'preact/hooks';
import { api, failureOf, type ListedJob } from '../api/client.ts';
import { capitalized, formatAgo, formatBytes, formatDate, formatSpan } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Table } from '../parts/table.tsx';
import { announce } from '../state/announce.ts';
import { navigate } from '../state/location.ts';
import { useQuery } from '../state/query.ts';

const FILTERS = ['all', 'queued', 'processing', 'completed', 'failed'] as const;
type Filter = (typeof FILTERS)[number];

const PAGE_SIZE = 50;
const LOOK_AGAIN_MS = 2_500;

export function JobsPage() {
  const [filter, setFilter] = useState<Filter>('all');
  const [page, setPage] = useState(1);
  const [search, setSearch] = useState('');
  const query = { page, limit: PAGE_SIZE, ...(filter === 'all' ? {} : { status: filter }) };
  const { data, failure, reload } = useQuery(
    `jobs ${JSON.stringify(query)}`,
    () => api.jobs.list.query(query),
    {
      againAfterMs: ({ data }) => (data.some(isUnderWay) ? LOOK_AGAIN_MS : undefined),
    },
  );
  const wanted = search.trim().toLowerCase();
  const rows = data?.data.filter((job) => `${job.sourceName} ${job.id}`.toLowerCase().includes(wanted));
  const choose = (chosen: Filter) => {
    setFilter(chosen);
    setPage(1);
  };
  const more = new URLSearchParams({
    ...(filter === 'all' ? {} : { status: filter }),
    page: String(page),
    limit: String(PAGE_SIZE),
  });

  return (
    <Page
      title="Jobs"
      actions={
        <Link class="button button-primary" to="/">
          <Icon name="plus" size={18} /> Split a file
        </Link>
      }
    >
      <div class="filters">
        <div class="switch" role="radiogroup" aria-label="Status">
          {FILTERS.map((each) => (
            <label key={each}>
              <input type="radio" name="status" checked={filter === each} onChange={() => choose(each)} />
              <span>{capitalized(each)}</span>
            </label>
          ))}
        </div>
        <input
          type="search"
          class="search"
          placeholder="Search this page by name or id"
          aria-label="Search this page by name or id"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {rows === undefined ? (
        failure === undefined && <Skeleton rows={6} />
      ) : rows.length === 0 ? (
        <NoJobs isFiltered={filter !== 'all' || wanted !== ''} />
      ) : (
        <JobTable rows={rows} />
      )}
      {data !== undefined && <Pager pagination={data.pagination} noun="job" onTurn={setPage} />}
      <Curl calls={[{ path: `/api/v1/splits?${more}`, credential: 'key' }]} />
    </Page>
  );
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="No job is like that">Choose another status, or search for something else.</Empty>;
  return (
    <Empty
      title="No jobs yet"
      action={
        <Link class="button button-primary" to="/">
          Split your first file
        </Link>
      }
    >
      What you split here or through the API shows up in this list, with its progress.
    </Empty>
  );
}

function JobTable({ rows }: { readonly rows: readonly ListedJob[] }) {
  const nowMs = Date.now();
  return (
    <Table columns={['Recording', 'Status', 'Cut', 'Segments', 'Begun']} hasActions>
      {rows.map((job) => (
        <tr key={job.id}>
          <th scope="row">
            <Link to={`/jobs/${job.id}`} class="row-link">
              {job.sourceName}
            </Link>
            <span class="row-sub">{job.error?.message ?? job.id}</span>
          </th>
          <td data-label="Status">
            <StatusBadge status={job.status} />
            {job.status === 'processing' && <span class="row-percent">{job.progress} %</span>}
          </td>
          <td data-label="Cut">{cutOf(job)}</td>
          <td data-label="Segments" class="number">
            {job.segmentCount?.toLocaleString('en') ?? '–'}
          </td>
          <td data-label="Begun">
            <time dateTime={job.createdAt} title={formatDate(job.createdAt)}>
              {formatAgo(job.createdAt, nowMs)}
            </time>
          </td>
          <td class="row-actions">{job.status === 'failed' && <RetryButton job={job} />}</td>
        </tr>
      ))}
    </Table>
  );
}

function RetryButton({ job }: { readonly job: ListedJob }) {
  const [isRunning, setRunning] = useState(false);
  const retry = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      const again = await api.jobs.retry.mutate({ jobId: job.id });
      announce('The job runs again.');
      navigate(`/jobs/${again.id}`);
    } catch (error) {
      announce(failureOf(error).message);
      setRunning(false);
    }
  };
  return (
    <button
      type="button"
      class="button"
      onClick={retry}
      aria-disabled={isRunning}
      aria-label={`Try again: ${job.sourceName}`}
    >
      <Icon name="retry" size={16} /> Try again
    </button>
  );
}

function isUnderWay({ status }: ListedJob): boolean {
  return status === 'queued' || status === 'processing';
}

function cutOf(job: ListedJob): string {
  const cut =
    job.splitMode === 'duration'
      ? `every ${formatSpan(job.segmentDuration ?? 0)}`
      : `up to ${formatBytes(job.maxFileSize ?? 0)}`;
  return job.outputFormat === undefined ? cut : `${cut}, ${job.outputFormat}`;
}
