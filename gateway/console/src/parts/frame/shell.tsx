import type { ComponentChildren } from 'preact';
import { api } from '../../api/client.ts';
import { PendingDeletionPage } from '../../pages/pending-deletion.tsx';
import { VerifyNotice } from '../../pages/security/verify-notice.tsx';
import { SuspensionNotice } from '../../pages/suspension-notice.tsx';
import { useAccount } from '../../state/account.ts';
import { announce } from '../../state/announce.ts';
import { leaveConsole } from '../../state/leaving.ts';
import { navigate } from '../../state/location.ts';
import { signedOut } from '../../state/session.ts';
import { Icon } from '../icons.tsx';
import { Link } from '../link.tsx';
import { Frame } from './frame.tsx';
import { Submissions } from './submissions.tsx';

const PLACES = [
  { to: '/', label: 'Split' },
  { to: '/jobs', label: 'Jobs' },
  { to: '/keys', label: 'API keys' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/usage', label: 'Usage' },
  { to: '/billing', label: 'Billing' },
] as const;

export function Shell({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const { data: account } = useAccount();
  const isClosed = account !== undefined && (account.isClosed || account.deletionScheduledAt !== undefined);
  const signOut = async () => {
    // The session on this machine ends, whether or not the call succeeds.
    await api.session.signOut.mutate().catch(() => {});
    signedOut();
    navigate('/sign-in');
    announce('You are signed out.');
  };
  return (
    <Frame
      // A batch is of jobs.
      path={path.replace(/^\/batches\//, '/jobs/')}
      places={isClosed ? [] : PLACES}
      home="split a file"
      more={<a href="/docs">Docs</a>}
      who={
        <Link
          to="/account"
          class="who"
          title={account?.email}
          aria-current={path.startsWith('/account') ? 'page' : undefined}
        >
          <span class="visually-hidden">Account</span>
          <span class="who-words">
            <span class="who-name">{account?.name || account?.email || ' '}</span>
            <span class="who-plan">{account === undefined ? ' ' : `${account.plan.name} plan`}</span>
          </span>
          <Icon name="person" />
        </Link>
      }
      below={<Submissions />}
      onSignOut={() => leaveConsole(() => void signOut())}
    >
      {account?.suspension !== undefined && <SuspensionNotice suspension={account.suspension} />}
      {account?.mustVerifyEmail === true && !isClosed && <VerifyNotice email={account.email} />}
      {isClosed ? <PendingDeletionPage account={account} /> : children}
    </Frame>
  );
}
