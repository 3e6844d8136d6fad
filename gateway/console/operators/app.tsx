import { useEffect } from 'preact/hooks';
import { NotFoundPage } from '../src/pages/not-found.tsx';
import { Frame } from '../src/parts/frame/frame.tsx';
import { FailureNotice } from '../src/parts/notices.tsx';
import { announce } from '../src/state/announce.ts';
import { path } from '../src/state/location.ts';
import { forgetAll, useQuery } from '../src/state/query.ts';
import { useStore } from '../src/state/store.ts';
import { api, type Signed, session } from './api.ts';
import { AccountPage } from './pages/account.tsx';
import { AccountsPage } from './pages/accounts.tsx';
import { AuditPage } from './pages/audit.tsx';
import { BusPage } from './pages/bus.tsx';
import { MailsPage } from './pages/mails.tsx';
import { QueuePage } from './pages/queue.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { SplittersPage } from './pages/splitters.tsx';

const PLACES = [
  { to: '/', label: 'Queue' },
  { to: '/splitters', label: 'Splitters' },
  { to: '/bus', label: 'Dead letters' },
  { to: '/accounts', label: 'Accounts' },
  { to: '/audit', label: 'Audit log' },
] as const;

export function App() {
  const state = useStore(session);
  const { data, failure, reload } = useQuery('session', () => api.session.get.query());
  useEffect(() => {
    if (data !== undefined) session.set('in');
  }, [data]);
  useEffect(() => {
    if (state === 'out') forgetAll();
  }, [state]);
  if (state === 'out') return <SignInPage onSignedIn={reload} />;
  if (data !== undefined) return <Console signed={data} />;
  return (
    <main class="page">{failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}</main>
  );
}

function Console({ signed }: { readonly signed: Signed }) {
  const where = useStore(path);
  const signOut = async () => {
    await api.session.signOut.mutate().then(
      () => {
        session.set('out');
        announce('You are signed out.');
      },
      () => announce('You are still signed in: the listener does not answer.'),
    );
  };
  return (
    <Frame
      path={where}
      places={signed.hasMails ? [...PLACES, { to: '/mails', label: 'Mails' }] : PLACES}
      home="the queue"
      who={
        <span class="who-words">
          <span class="who-name">{signed.operator}</span>
          <span class="who-plan">Operator</span>
        </span>
      }
      onSignOut={signOut}
    >
      <PageAt path={where} signed={signed} />
    </Frame>
  );
}

function PageAt({ path, signed }: { readonly path: string; readonly signed: Signed }) {
  const [, accountId] = /^\/accounts\/([^/]+)$/.exec(path) ?? [];
  if (accountId !== undefined) {
    const decoded = decodeURIComponent(accountId);
    return <AccountPage key={decoded} accountId={decoded} />;
  }
  switch (path) {
    case '/':
      return <QueuePage links={signed.links} />;
    case '/splitters':
      return <SplittersPage />;
    case '/bus':
      return <BusPage />;
    case '/accounts':
      return <AccountsPage />;
    case '/audit':
      return <AuditPage />;
    case '/mails':
      return <MailsPage />;
    default:
      return <NotFoundPage home="To the queue" />;
  }
}
