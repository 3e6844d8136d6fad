import { type ComponentType, Fragment } from 'preact';
import { stop } from './audio/player.ts';
import { JobPage } from './pages/job.tsx';
import { JobsPage } from './pages/jobs.tsx';
import { KeysPage } from './pages/keys.tsx';
import { latePage } from './pages/late-page.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { ForgotPasswordPage } from './pages/recovery/forgot-password.tsx';
import { ResetPasswordPage } from './pages/recovery/reset-password.tsx';
import { VerifyEmailPage } from './pages/recovery/verify-email.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { LINK_PATH, SignInLinkPage } from './pages/sign-in-link.tsx';
import { SplitPage } from './pages/split.tsx';
import { UsagePage } from './pages/usage.tsx';
import { PlayerBar } from './parts/audio/player-bar.tsx';
import { LeaveDialog } from './parts/dialogs/leave-dialog.tsx';
import { SessionEndedDialog } from './parts/dialogs/session-ended-dialog.tsx';
import { PublicFrame } from './parts/frame/public-frame.tsx';
import { Shell } from './parts/frame/shell.tsx';
import { leaveEntry } from './state/entry-address.ts';
import { path } from './state/location.ts';
import { batchIdIn, isPage, isPagePath, jobIdIn, type PagePath } from './state/page-paths.ts';
import { forgetAll } from './state/query.ts';
import { forgetRefused } from './state/refused-sources.ts';
import { isKnown, ownerVersion, session } from './state/session.ts';
import { forgetDrafts } from './state/split-drafts.ts';
import { useStore } from './state/store.ts';
import { dismissAll } from './state/submissions.ts';
import { forgetAllUnfinished } from './upload/unfinished-uploads.ts';

const AccountPage = latePage('the account', async () => (await import('./pages/account.tsx')).AccountPage);
const BatchPage = latePage('batches', async () => (await import('./pages/batch.tsx')).BatchPage);
const BillingPage = latePage('billing', async () => (await import('./pages/billing.tsx')).BillingPage);
const ConnectionsPage = latePage(
  'connections',
  async () => (await import('./pages/connections.tsx')).ConnectionsPage,
);
const SecurityPage = latePage('security', async () => (await import('./pages/security.tsx')).SecurityPage);
const WebhooksPage = latePage('webhooks', async () => (await import('./pages/webhooks.tsx')).WebhooksPage);

session.subscribe(followSession);
followSession();

export function App() {
  const where = useStore(path);
  const state = useStore(session);
  const holder = useStore(ownerVersion);
  if (state === 'out' && !isPage(where)) {
    return (
      <PublicFrame>
        <main id="main">
          <NotFoundPage home="To the start" />
        </main>
      </PublicFrame>
    );
  }
  const Recovery = RECOVERY[where];
  if (Recovery !== undefined) return <Recovery />;
  if (state === 'out' && where === LINK_PATH) return <SignInLinkPage />;
  if (state === 'out') return <SignInPage kind={entryAt(where)} />;
  return (
    <Fragment key={holder}>
      <Shell path={where}>
        <PageAt path={where} />
        <PlayerBar />
      </Shell>
      <LeaveDialog />
      {state === 'ended' && <SessionEndedDialog />}
    </Fragment>
  );
}

/** Runs before a page is shown that no longer fits the session. */
function followSession(): void {
  const state = session.get();
  if (state === 'in') leaveEntry();
  if (state !== 'out') return;
  forgetAll();
  dismissAll();
  forgetAllUnfinished();
  forgetDrafts();
  forgetRefused();
  stop();
}

/** A deep link suggests a returning user, who is shown the sign-in form. */
function entryAt(where: string): 'sign-in' | 'sign-up' {
  if (where === '/sign-in' || where === '/sign-up') return where === '/sign-in' ? 'sign-in' : 'sign-up';
  return isKnown() || where !== '/' ? 'sign-in' : 'sign-up';
}

/** Where links of mails lead, whether or not their reader is signed in here. */
const RECOVERY: Readonly<Record<string, ComponentType>> = {
  '/password/forgot': ForgotPasswordPage,
  '/password/reset': ResetPasswordPage,
  '/verify': VerifyEmailPage,
};

const PAGES: Readonly<Record<PagePath, ComponentType>> = {
  '/': SplitPage,
  '/sign-in': SplitPage,
  '/sign-in/link': SplitPage,
  '/sign-up': SplitPage,
  '/password/forgot': ForgotPasswordPage,
  '/password/reset': ResetPasswordPage,
  '/verify': VerifyEmailPage,
  '/jobs': JobsPage,
  '/keys': KeysPage,
  '/webhooks': WebhooksPage,
  '/usage': UsagePage,
  '/billing': BillingPage,
  '/account': AccountPage,
  '/account/connections': ConnectionsPage,
  '/account/security': SecurityPage,
};

function PageAt({ path }: { readonly path: string }) {
  const jobId = jobIdIn(path);
  if (jobId !== undefined) return <JobPage key={jobId} jobId={jobId} />;
  const batchId = batchIdIn(path);
  if (batchId !== undefined) return <BatchPage key={batchId} batchId={batchId} />;
  const Known = isPagePath(path) ? PAGES[path] : NotFoundPage;
  return <Known />;
}
