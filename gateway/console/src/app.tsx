import { useEffect } from 'preact/hooks';
import { stop } from './audio/player.ts';
import { AccountPage } from './pages/account.tsx';
import { BillingPage } from './pages/billing.tsx';
import { JobPage } from './pages/job.tsx';
import { JobsPage } from './pages/jobs.tsx';
import { KeysPage } from './pages/keys.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { SplitPage } from './pages/split.tsx';
import { UsagePage } from './pages/usage.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { PlayerBar } from './parts/player-bar.tsx';
import { Shell } from './parts/shell.tsx';
import { path } from './state/location.ts';
import { forgetAll } from './state/query.ts';
import { session } from './state/session.ts';
import { useStore } from './state/store.ts';

export function App() {
  const where = useStore(path);
  const state = useStore(session);
  useEffect(() => {
    if (state === 'in') return;
    forgetAll();
    stop();
  }, [state]);
  if (state === 'out') return <SignInPage kind={where === '/sign-in' ? 'sign-in' : 'sign-up'} />;
  return (
    <Shell path={where}>
      <PageAt path={where} />
      <PlayerBar />
    </Shell>
  );
}

function PageAt({ path }: { readonly path: string }) {
  const [, jobId] = /^\/jobs\/([\w-]+)$/.exec(path) ?? [];
  if (jobId !== undefined) return <JobPage key={jobId} jobId={jobId} />;
  switch (path) {
    case '/':
    case '/sign-in':
    case '/sign-up':
      return <SplitPage />;
    case '/jobs':
      return <JobsPage />;
    case '/keys':
      return <KeysPage />;
    case '/webhooks':
      return <WebhooksPage />;
    case '/usage':
      return <UsagePage />;
    case '/billing':
      return <BillingPage />;
    case '/account':
      return <AccountPage />;
    default:
      return <NotFoundPage />;
  }
}
