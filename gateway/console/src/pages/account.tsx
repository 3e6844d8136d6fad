import { useState } from 'preact/hooks';
import type { AccountInfo } from '../api/client.ts';
import { formatDate } from '../format/format.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Panel } from '../parts/panel.tsx';
import { useAccount } from '../state/account.ts';
import { externalIssuer } from '../state/issuer.ts';
import { DeleteDialog } from './account/delete-dialog.tsx';
import { Exports } from './account/exports.tsx';
import { ALL_GONE_DAYS, GRACE_DAYS } from './account/grace.ts';

const FREE_PLAN = 'plan_free';

export function AccountPage() {
  const { data: account, failure, reload } = useAccount();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Page title="Account" lead="Your profile, a copy of your data, and how to delete the account.">
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {account === undefined ? failure === undefined && <Skeleton rows={2} /> : <Profile account={account} />}
      <Panel
        title="Connections"
        lead="Your own buckets, to read sources from and to store segments in."
        actions={
          <Link class="button" to="/account/connections">
            Connections to buckets
          </Link>
        }
      />
      <Exports />
      {account !== undefined && (
        <Panel
          title="Delete the account"
          isDangerous
          lead={
            `Keys are refused at once. For ${GRACE_DAYS} days you can restore everything; ` +
            `after ${ALL_GONE_DAYS} days at most nothing is left.`
          }
          actions={
            account.plan.id === FREE_PLAN && (
              <button type="button" class="button button-danger-quiet" onClick={() => setDeleting(true)}>
                <Icon name="trash" size={16} /> Delete my account
              </button>
            )
          }
        >
          {account.plan.id !== FREE_PLAN && (
            <p class="panel-note">
              Your {account.plan.name} subscription still runs.{' '}
              <Link to="/billing">End it under Billing first</Link>, so that nothing is charged any more.
            </p>
          )}
        </Panel>
      )}
      {isDeleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function Profile({ account }: { readonly account: AccountInfo }) {
  const { id, email, name, createdAt, plan } = account;
  return (
    <Panel
      title="Profile"
      actions={
        externalIssuer === undefined && (
          <Link class="button" to="/account/security">
            Password, address and sessions
          </Link>
        )
      }
    >
      <dl class="facts">
        {name !== '' && (
          <div>
            <dt>Name</dt>
            <dd>{name}</dd>
          </div>
        )}
        {email !== undefined && (
          <div>
            <dt>Email</dt>
            <dd>{email}</dd>
          </div>
        )}
        <div>
          <dt>Plan</dt>
          <dd>
            <Link to="/billing">{plan.name}</Link>
          </dd>
        </div>
        <div>
          <dt>Since</dt>
          <dd>{formatDate(createdAt)}</dd>
        </div>
        <div>
          <dt>Account id</dt>
          <dd class="with-copy">
            <code>{id}</code>
            <CopyButton text={id} what="the account id" />
          </dd>
        </div>
      </dl>
      <Curl calls={[{ path: '/api/v1/account', credential: 'token' }]} />
    </Panel>
  );
}
