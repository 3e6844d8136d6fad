import type { ComponentType } from 'preact';
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
import { PublicFrame } from './parts/public-frame.tsx';
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
  if (state === 'out' && !isKnown(where)) {
    return (
      <PublicFrame>
        <main id="main">
          <NotFoundPage home="To the start" />
        </main>
      </PublicFrame>
    );
  }
  if (state === 'out') return <SignInPage kind={where === '/sign-in' ? 'sign-in' : 'sign-up'} />;
  return (
    <Shell path={where}>
      <PageAt path={where} />
      <PlayerBar />
    </Shell>
  );
}

const PAGES: Readonly<Record<string, ComponentType>> = {
  '/': SplitPage,
  '/sign-in': SplitPage,
  '/sign-up': SplitPage,
  '/jobs': JobsPage,
  '/keys': KeysPage,
  '/webhooks': WebhooksPage,
  '/usage': UsagePage,
  '/billing': BillingPage,
  '/account': AccountPage,
};

function isKnown(path: string): boolean {
  return PAGES[path] !== undefined || jobIdIn(path) !== undefined;
}

function jobIdIn(path: string): string | undefined {
  return /^\/jobs\/([\w-]{1,64})$/.exec(path)?.[1];
}

function PageAt({ path }: { readonly path: string }) {
  const jobId = jobIdIn(path);
  if (jobId !== undefined) return <JobPage key={jobId} jobId={jobId} />;
  const Known = PAGES[path] ?? NotFoundPage;
  return <Known />;
}
