import { useState } from 'preact/hooks';
import { Page } from '../../src/parts/frame/page.tsx';
import { Link } from '../../src/parts/link.tsx';
import { Empty, Skeleton } from '../../src/parts/notices.tsx';
import { Panel } from '../../src/parts/panel.tsx';
import { Table } from '../../src/parts/table.tsx';
import { useQuery } from '../../src/state/query.ts';
import { api, type FoundAccount } from '../api.ts';
import { describe, labelOf } from '../figures.ts';
import { FirstFailure, LiveLead } from '../parts.tsx';
import { JobRow } from './account/jobs-panel.tsx';

const LOOK_AGAIN_MS = 10_000;

export function AccountsPage() {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const found = useQuery(`accounts ${query}`, () => api.accounts.find.query({ query }), {
    againAfterMs: () => LOOK_AGAIN_MS,
  });
  const { data, failure } = found;
  const search = (event: Event) => {
    event.preventDefault();
    setQuery(typed.trim());
  };
  return (
    <Page
      title="Accounts"
      lead={
        <LiveLead of={found}>
          {query === ''
            ? 'With figures of their own, laid over those of their plan.'
            : `Found for “${query}”.`}
        </LiveLead>
      }
    >
      <search>
        <form class="account-search" onSubmit={search}>
          <input
            type="search"
            class="search"
            placeholder="Id of an account or a job, or an address"
            aria-label="Id of an account or a job, or the beginning of a mail address"
            maxLength={320}
            value={typed}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              if (event.currentTarget.value === '') setQuery('');
            }}
          />
          <button type="submit" class="button button-primary">
            Find
          </button>
        </form>
      </search>
      <FirstFailure of={found} />
      {data !== undefined && data.job !== null && (
        <Panel title="Job">
          <ul class="rows">
            <JobRow job={data.job} accountId={data.job.accountId} onCanceled={found.reload} />
          </ul>
        </Panel>
      )}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={4} />
      ) : data.accounts.length === 0 ? (
        <NoAccounts query={query} />
      ) : (
        <AccountTable accounts={data.accounts} />
      )}
      {data?.hasMore === true && (
        <p class="quiet-line">The first {data.accounts.length}. Search to see others.</p>
      )}
    </Page>
  );
}

function NoAccounts({ query }: { readonly query: string }) {
  if (query === '') {
    return (
      <Empty title="No account has figures of its own">
        Find an account by its id or its mail address to lay some over its plan.
      </Empty>
    );
  }
  return (
    <Empty
      title="Billing knows no such account"
      action={
        query.startsWith('acc_') && (
          <Link class="button" to={`/accounts/${encodeURIComponent(query)}`}>
            Open it all the same
          </Link>
        )
      }
    >
      It hears of an account within seconds of its registration.
    </Empty>
  );
}

function AccountTable({ accounts }: { readonly accounts: readonly FoundAccount[] }) {
  return (
    <Table columns={['Account', 'Plan', 'Laid over it']}>
      {accounts.map(({ accountId, email, name, plan, overrides }) => (
        <tr key={accountId}>
          <th scope="row">
            <Link to={`/accounts/${encodeURIComponent(accountId)}`} class="row-link">
              {email || name || accountId}
            </Link>
            <span class="row-sub">{accountId}</span>
          </th>
          <td>{plan}</td>
          <td class="overrides">
            {overrides.length === 0
              ? '–'
              : overrides.map(({ figure, value }) => (
                  <span key={figure} class="code-tag">
                    {labelOf(figure)}: {describe(figure, value)}
                  </span>
                ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}
