import { useState } from 'preact/hooks';
import { formatDate } from '../../src/format/format.ts';
import { CopyButton } from '../../src/parts/copy-button.tsx';
import { Page } from '../../src/parts/frame/page.tsx';
import { FailureNotice, Skeleton } from '../../src/parts/notices.tsx';
import { Panel } from '../../src/parts/panel.tsx';
import { useQuery } from '../../src/state/query.ts';
import { api } from '../api.ts';
import { ClockForm } from './account/clock-form.tsx';
import { JobsPanel } from './account/jobs-panel.tsx';
import { MoneyPanel } from './account/money-panel.tsx';
import { OverridesForm } from './account/overrides-form.tsx';
import { SignInPanel } from './account/sign-in-panel.tsx';
import { SuspensionButton, SuspensionNotice } from './account/suspension.tsx';
import { Acts } from './audit.tsx';

export function AccountPage({ accountId }: { readonly accountId: string }) {
  const { data, failure, reload } = useQuery(`account ${accountId}`, () =>
    api.accounts.get.query({ accountId }),
  );
  const [version, setVersion] = useState(0);
  const acted = () => {
    reload();
    setVersion(version + 1);
  };
  const named = data?.email || data?.name || accountId;
  return (
    <Page
      title={named}
      lead={
        data === undefined ? (
          ' '
        ) : (
          <>
            {data.plan} plan
            {data.subscriptionStatus !== null && `, ${data.subscriptionStatus}`}
            {data.periodEnd !== null && ` until ${formatDate(data.periodEnd)}`} · <code>{accountId}</code>
          </>
        )
      }
      actions={
        <>
          <CopyButton text={accountId} what="the account's id" />
          {data !== undefined && <SuspensionButton account={data} onActed={acted} />}
        </>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={5} />
      ) : (
        <>
          <SuspensionNotice suspension={data.suspension} />
          <MoneyPanel account={data} onActed={acted} />
          <JobsPanel accountId={accountId} onActed={acted} />
          <SignInPanel accountId={accountId} onActed={acted} />
          <OverridesForm
            // Saved values reset the fields.
            key={JSON.stringify(data.figures)}
            accountId={accountId}
            figures={data.figures}
            onSaved={acted}
          />
          {data.clock !== null && <ClockForm accountId={accountId} clock={data.clock} onMoved={acted} />}
          <Panel title="Changes by operators">
            <Acts accountId={accountId} version={version} />
          </Panel>
        </>
      )}
    </Page>
  );
}
