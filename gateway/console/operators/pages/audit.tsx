import { useState } from 'preact/hooks';
import { formatDate } from '../../src/format/format.ts';
import { Page } from '../../src/parts/frame/page.tsx';
import { Empty, Skeleton } from '../../src/parts/notices.tsx';
import { Table } from '../../src/parts/table.tsx';
import { useQuery } from '../../src/state/query.ts';
import { type Act, api } from '../api.ts';
import { AccountLink, FirstFailure } from '../parts.tsx';

export function AuditPage() {
  return (
    <Page title="Audit log" lead="Who changed what, when and why. What was refused is here, too.">
      <Acts accountId="" />
    </Page>
  );
}

interface ActsProps {
  /** Empty: of all accounts. */
  readonly accountId: string;
  /** Grows when there may be more. */
  readonly version?: number;
}

export function Acts({ accountId, version = 0 }: ActsProps) {
  const [page, setPage] = useState(1);
  const query = useQuery(`acts ${accountId} ${page}`, () => api.acts.list.query({ accountId, page }), {
    version,
  });
  const { data, failure } = query;
  if (data === undefined) {
    return failure === undefined ? <Skeleton rows={3} /> : <FirstFailure of={query} />;
  }
  if (page === 1 && data.acts.length === 0) {
    return accountId === '' ? (
      <Empty title="Nothing was changed yet">Each change by this console is written down here.</Empty>
    ) : (
      <p class="panel-empty">No operator has changed anything.</p>
    );
  }
  return (
    <>
      <Table columns={['When', 'Who', 'What', 'Why', 'Outcome']}>
        {data.acts.map((act) => (
          <ActRow key={act.id} act={act} isOfOne={accountId !== ''} />
        ))}
      </Table>
      {(page > 1 || data.hasMore) && (
        <div class="row">
          <button type="button" class="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
            Newer
          </button>
          <button type="button" class="button" disabled={!data.hasMore} onClick={() => setPage(page + 1)}>
            Older
          </button>
        </div>
      )}
    </>
  );
}

function ActRow({ act, isOfOne }: { readonly act: Act; readonly isOfOne: boolean }) {
  const { at, operator, action, reason, input, accountId, outcome } = act;
  return (
    <tr>
      <th scope="row" class="act-time">
        <time dateTime={at}>{formatDate(at)}</time>
      </th>
      <td>{operator}</td>
      <td class="overrides">
        <code>{action}</code>
        {accountId !== null && !isOfOne && (
          <span class="row-sub">
            <AccountLink accountId={accountId} />
          </span>
        )}
        <details>
          <summary>Details</summary>
          <code>{input}</code>
        </details>
      </td>
      <td class="overrides act-reason">{reason}</td>
      <td>{outcome ?? 'not known'}</td>
    </tr>
  );
}
