import { formatSpan, plural } from '../../src/format/format.ts';
import { Page } from '../../src/parts/frame/page.tsx';
import { Icon } from '../../src/parts/icons.tsx';
import { Link } from '../../src/parts/link.tsx';
import { Skeleton } from '../../src/parts/notices.tsx';
import { Table } from '../../src/parts/table.tsx';
import { Tile } from '../../src/parts/tile.tsx';
import { type Query, useQuery } from '../../src/state/query.ts';
import { api, type BusQueue, type Queue, type Signed, type StuckJob, type Workers } from '../api.ts';
import { secondsBetween } from '../format.ts';
import { AccountLink, FirstFailure, JobName, LiveLead } from '../parts.tsx';

const LOOK_AGAIN_MS = 3_000;
/** Interval of reading the bus, which queries every queue's offsets. */
const LOOK_AT_BUS_AGAIN_MS = 10_000;
const live = { againAfterMs: () => LOOK_AGAIN_MS };

export function QueuePage({ links }: { readonly links: Signed['links'] }) {
  const queue = useQuery('queue', () => api.jobs.queue.query(), live);
  const stuck = useQuery('stuck', () => api.jobs.stuck.query(), live);
  const workers = useQuery('workers', () => api.jobs.workers.query(), live);
  const bus = useQuery('bus', () => api.bus.queues.query(), { againAfterMs: () => LOOK_AT_BUS_AGAIN_MS });
  return (
    <Page
      title="Queue"
      lead={<LiveLead of={queue}>Of all accounts together, as it is now.</LiveLead>}
      actions={links.map(({ name, url }) => (
        <a key={url} class="button" href={url} target="_blank" rel="noreferrer">
          <Icon name="link" size={16} /> {name}
        </a>
      ))}
    >
      <FirstFailure of={queue} />
      {queue.data === undefined ? (
        queue.failure === undefined && <Skeleton rows={3} />
      ) : (
        <>
          <Tiles queue={queue.data} stuck={stuck} workers={workers} bus={bus} />
          <section aria-labelledby="stuck-title">
            <h2 id="stuck-title" class="section-title">
              Standing still
            </h2>
            {stuck.data !== undefined && stuck.data.jobs.length > 0 ? (
              <StuckTable jobs={stuck.data.jobs} now={stuck.data.now} />
            ) : (
              <p class="quiet-line">
                {stuck.failure?.message ??
                  (stuck.data === undefined ? ' ' : 'Nothing. Every job is waiting its turn, or at work.')}
              </p>
            )}
          </section>
          <section aria-labelledby="accounts-title">
            <h2 id="accounts-title" class="section-title">
              Accounts with jobs
            </h2>
            {queue.data.accounts.length > 0 ? (
              <BusyTable queue={queue.data} />
            ) : (
              <p class="quiet-line">None at the moment.</p>
            )}
          </section>
        </>
      )}
    </Page>
  );
}

interface TilesProps {
  readonly queue: Queue;
  readonly stuck: Query<{ readonly jobs: readonly StuckJob[] }>;
  readonly workers: Query<Workers>;
  readonly bus: Query<readonly BusQueue[]>;
}

function Tiles({ queue, stuck, workers, bus }: TilesProps) {
  const oldest = queue.accounts[0]?.oldestQueuedAt ?? undefined;
  const letters = bus.data?.reduce((sum, each) => sum + each.letters, 0);
  const behind = bus.data?.reduce((sum, each) => sum + each.behind, 0);
  const stuckCount = stuck.data?.jobs.length;
  return (
    <div class="tiles tiles-even">
      <Tile
        title="Waiting"
        value={count(queue.queued)}
        note={oldest === undefined ? 'none waits' : `up to ${formatSpan(secondsBetween(oldest, queue.now))}`}
      />
      <Tile title="Could run now" value={count(queue.runnable)} note="under the caps of their accounts" />
      <Tile
        title="Running"
        value={count(queue.processing)}
        note={
          workers.data === undefined ? (
            ' '
          ) : (
            <Link to="/splitters">on {plural(workers.data.workers.length, 'splitter')}</Link>
          )
        }
      />
      <Tile
        title="Standing still"
        value={count(stuckCount)}
        isBad={stuckCount !== undefined && stuckCount > 0}
        note={stuckCount ? 'see below' : 'all is on its way'}
      />
      <Tile
        title="Dead letters"
        value={count(letters)}
        isBad={letters !== undefined && letters > 0}
        note={
          bus.data === undefined ? (
            (bus.failure?.code ?? ' ')
          ) : (
            <Link to="/bus">{(behind ?? 0).toLocaleString('en')} not handled yet</Link>
          )
        }
      />
    </div>
  );
}

function count(value: number | undefined): string {
  return value?.toLocaleString('en') ?? '–';
}

const REASONS: Record<StuckJob['reason'], string> = {
  leaseOver: 'Its lease is over, and it was not offered again',
  notTaken: 'On offer, and no splitter takes it',
  timeOver: 'Its time is over, and it was not failed',
  unknown: 'For a reason that this page does not know',
};

function StuckTable({ jobs, now }: { readonly jobs: readonly StuckJob[]; readonly now: string }) {
  return (
    <Table columns={['Job', 'Why', 'Account', 'Attempts', 'Since']}>
      {jobs.map((job) => (
        <tr key={`${job.jobId} ${job.part} ${job.reason}`}>
          <th scope="row">
            <JobName {...job} />
          </th>
          <td>{REASONS[job.reason]}</td>
          <td>
            <AccountLink accountId={job.accountId} />
          </td>
          <td class="number" data-label="Attempts">
            {job.attempts}
          </td>
          <td class="number">{formatSpan(secondsBetween(job.since, now))}</td>
        </tr>
      ))}
    </Table>
  );
}

function BusyTable({ queue: { accounts, now } }: { readonly queue: Queue }) {
  return (
    <Table columns={['Account', 'Oldest waits', 'Waiting', 'On offer', 'Running', 'At most at once']}>
      {accounts.map((account) => (
        <tr key={account.accountId}>
          <th scope="row">
            <AccountLink accountId={account.accountId} />
          </th>
          <td class="number" data-label="Oldest waits">
            {account.oldestQueuedAt === null ? '–' : formatSpan(secondsBetween(account.oldestQueuedAt, now))}
          </td>
          <td class="number" data-label="Waiting">
            {account.queued.toLocaleString('en')}
          </td>
          <td class="number" data-label="On offer">
            {account.offered.toLocaleString('en')}
          </td>
          <td class="number" data-label="Running">
            {account.processing.toLocaleString('en')}
          </td>
          <td class="number" data-label="At most">
            {account.concurrentJobs ?? 'not known yet'}
          </td>
        </tr>
      ))}
    </Table>
  );
}
