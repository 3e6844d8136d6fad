import { useState } from 'preact/hooks';
import { api, type FoundJobs, type JobList } from '../api/client.ts';
import { formatDay } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { navigate, query, readdress } from '../state/location.ts';
import { useQuery } from '../state/query.ts';
import { useStore } from '../state/store.ts';
import { ChosenJobs } from './jobs/chosen-jobs.tsx';
import { JobFilters } from './jobs/job-filters.tsx';
import { JobTable } from './jobs/job-table.tsx';
import {
  ALL_JOBS,
  canceledIn,
  type JobsAddress,
  jobsPath,
  parseJobsAddress,
  statusOf,
} from './jobs/jobs-address.ts';
import { SearchPager } from './jobs/search-pager.tsx';

const PAGE_SIZE = 50;
const NONE: ReadonlySet<string> = new Set();
const LOOK_AGAIN_MS = 2_500;
/** Interval of repeated searches, which scan more than they show. */
const SEARCH_AGAIN_MS = 10_000;

export function JobsPage() {
  const address = parseJobsAddress(useStore(query));
  const { filter, text } = address;
  const { data, failure, isEarlier, reload } = useQuery(
    `jobs ${jobsPath(address)}`,
    () => loadJobs(address),
    { keepsEarlier: true, againAfterMs },
  );
  const [marked, setMarked] = useState(NONE);
  /** Of the rows that are shown. */
  const chosen = data?.data.filter(({ id }) => marked.has(id)) ?? [];
  return (
    <Page
      title="Jobs"
      actions={
        <Link class="button button-primary" to="/">
          <Icon name="plus" size={18} /> Split a file
        </Link>
      }
    >
      <JobFilters
        filter={filter}
        text={text}
        onChange={(change) => readdress(jobsPath({ ...ALL_JOBS, ...change }))}
      />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={6} />
      ) : (
        <div class="list" aria-busy={isEarlier}>
          <ChosenJobs
            chosen={chosen}
            isEmpty={data.data.length === 0}
            isAll={chosen.length === data.data.length}
            onChooseAll={(isChosen) => setMarked(isChosen ? new Set(data.data.map(({ id }) => id)) : NONE)}
            onDeleted={() => {
              setMarked(NONE);
              reload();
            }}
          />
          {data.data.length === 0 ? (
            <NoJobs key={jobsPath(data.address)} {...data} />
          ) : (
            <JobTable
              rows={data.data}
              choice={{
                chosen: marked,
                onChoose(jobId, isChosen) {
                  const others = chosen.map(({ id }) => id).filter((each) => each !== jobId);
                  setMarked(new Set(isChosen ? [...others, jobId] : others));
                },
              }}
            />
          )}
          {'pagination' in data ? (
            <Pager
              pagination={data.pagination}
              noun="job"
              onTurn={(turned) => navigate(jobsPath({ ...address, page: turned }))}
            />
          ) : (
            <SearchPager
              found={data}
              isFirst={data.address.after === undefined}
              onTurn={(after) => navigate(jobsPath({ ...address, after }))}
            />
          )}
        </div>
      )}
      <Curl calls={[{ path: apiPath(address), credential: 'key' }]} />
    </Page>
  );
}

/** Of the API's call for what is shown. Canceled jobs without a text are listed among the failed ones. */
function apiPath(address: JobsAddress): string {
  const { text, page, after } = address;
  const params = new URLSearchParams({ ...statusOf(address), limit: String(PAGE_SIZE) });
  if (text.trim() === '') {
    params.set('page', String(page));
    return `/api/v1/splits?${params}`;
  }
  const canceled = canceledIn(address);
  params.set('text', text);
  if (canceled !== undefined) params.set('canceled', String(canceled));
  if (after !== undefined) params.set('pageToken', after);
  return `/api/v1/splits/search?${params}`;
}

type Shown = (JobList | FoundJobs) & { readonly address: JobsAddress };

async function loadJobs(address: JobsAddress): Promise<Shown> {
  const { text, page, after } = address;
  const wanted = { limit: PAGE_SIZE, ...statusOf(address) };
  const canceled = canceledIn(address);
  if (text.trim() === '' && canceled === undefined)
    return { ...(await api.jobs.list.query({ ...wanted, page })), address };
  const search = {
    ...wanted,
    text,
    ...(canceled === undefined ? {} : { canceled }),
    ...(after === undefined ? {} : { pageToken: after }),
  };
  return { ...(await api.jobs.search.query(search)), address };
}

function againAfterMs(shown: Shown): number | undefined {
  const isInProgress = shown.data.some(({ status }) => status === 'queued' || status === 'processing');
  if (!isInProgress) return undefined;
  return 'pagination' in shown ? LOOK_AGAIN_MS : SEARCH_AGAIN_MS;
}

function NoJobs({ address: { filter, text, page }, ...shown }: Shown) {
  if ('lookedBackTo' in shown && shown.lookedBackTo !== undefined) {
    return (
      <Empty title={`Nothing found back to ${formatDay(shown.lookedBackTo)}`}>
        Older jobs have not been searched yet.
      </Empty>
    );
  }
  if (text.trim() !== '') {
    return (
      <Empty
        title={`No ${filter === 'all' ? '' : `${filter} `}job matches “${text.trim()}”`}
        action={
          <Link class="button" to="/jobs">
            Show all jobs
          </Link>
        }
      >
        The search covers names, links and ids of all your jobs.
      </Empty>
    );
  }
  if (filter !== 'all' || page > 1) {
    return (
      <Empty
        title={filter === 'all' ? 'Nothing on this page' : `No job is ${filter}`}
        action={
          <Link class="button" to="/jobs">
            Show all jobs
          </Link>
        }
      >
        Jobs move on by themselves; others may be elsewhere in the list.
      </Empty>
    );
  }
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
