import { formatSpan, plural } from '../../src/format/format.ts';
import { Page } from '../../src/parts/frame/page.tsx';
import { Empty, Skeleton } from '../../src/parts/notices.tsx';
import { Table } from '../../src/parts/table.tsx';
import { useQuery } from '../../src/state/query.ts';
import { api, type Workers } from '../api.ts';
import { secondsBetween } from '../format.ts';
import { AccountLink, FirstFailure, JobName, LiveLead } from '../parts.tsx';

const LOOK_AGAIN_MS = 2_000;

export function SplittersPage() {
  const query = useQuery('workers', () => api.jobs.workers.query(), {
    againAfterMs: () => LOOK_AGAIN_MS,
  });
  const { data, failure } = query;
  return (
    <Page
      title="Splitters"
      lead={
        <LiveLead of={query}>
          Those that hold a lease. One that is idle holds none, and is not listed.
        </LiveLead>
      }
    >
      <FirstFailure of={query} />
      {data === undefined ? (
        failure === undefined && <Skeleton rows={5} />
      ) : data.workers.length === 0 ? (
        <Empty title="Nobody is at work">A splitter shows up here with the job that it takes.</Empty>
      ) : (
        <>
          <WorkerTable data={data} />
          <section aria-labelledby="leases-title">
            <h2 id="leases-title" class="section-title">
              {plural(data.leaseCount, 'lease')}
              {data.leases.length < data.leaseCount && `, the first ${data.leases.length}`}
            </h2>
            <LeaseTable data={data} />
          </section>
        </>
      )}
    </Page>
  );
}

function WorkerTable({ data: { workers, now } }: { readonly data: Workers }) {
  return (
    <Table columns={['Splitter', 'Leases', 'First one ends in']}>
      {workers.map(({ workerId, leaseCount, earliestLeaseUntil }) => (
        <tr key={workerId}>
          <th scope="row">
            <span class="id">{workerId}</span>
          </th>
          <td class="number" data-label="Leases">
            {leaseCount}
          </td>
          <td class="number" data-label="First one ends in">
            <TimeLeft until={earliestLeaseUntil} now={now} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function LeaseTable({ data: { leases, now } }: { readonly data: Workers }) {
  return (
    <Table columns={['Job', 'Account', 'Progress', 'Attempt', 'Lease ends in', 'Given up in']}>
      {leases.map((lease) => (
        <tr key={`${lease.jobId} ${lease.part}`}>
          <th scope="row">
            <JobName {...lease} />
            <span class="row-sub">{lease.workerId}</span>
          </th>
          <td>
            <AccountLink accountId={lease.accountId} />
          </td>
          <td class="number" data-label="Progress">
            {lease.progress} %
          </td>
          <td class="number" data-label="Attempt">
            {lease.attempt}
          </td>
          <td class="number" data-label="Lease ends in">
            <TimeLeft until={lease.leaseUntil} now={now} />
          </td>
          <td class="number" data-label="Given up in">
            <TimeLeft until={lease.deadlineAt} now={now} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function TimeLeft({ until, now }: { readonly until: string; readonly now: string }) {
  return until > now ? formatSpan(secondsBetween(now, until)) : <strong class="is-bad">over</strong>;
}
