import { useState } from 'preact/hooks';
import { type AccountInfo, api, type Failure, failureOf } from '../api/client.ts';
import { formatDate } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Icon } from '../parts/icons.tsx';
import { FailureNotice } from '../parts/notices.tsx';
import { isBeingRestored } from '../state/account.ts';
import { announce } from '../state/announce.ts';
import { accountChanged } from '../state/session.ts';
import { ALL_GONE_DAYS, GRACE_DAYS } from './account/grace.ts';

/** Replaces every page while the account's deletion is pending. */
export function PendingDeletionPage({ account }: { readonly account: AccountInfo }) {
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const isRestored = isBeingRestored(account);
  const isBusy = isRunning || isRestored;
  const restore = async () => {
    if (isBusy) return;
    setRunning(true);
    setFailure(undefined);
    try {
      await api.account.restore.mutate();
      announce('Your account is restored.');
      accountChanged();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setRunning(false);
  };
  const { deletionScheduledAt } = account;
  return (
    <Page title="Your account is about to be deleted">
      <section class="card farewell" aria-label="What happens now">
        <ol class="farewell-steps">
          <li class="farewell-done">
            <strong>Closed</strong>
            <span>API keys are refused, and jobs that had not begun are dropped.</span>
          </li>
          <li>
            <strong>{GRACE_DAYS} days to change your mind</strong>
            <span>If you restore it in time, everything else is as it was, keys and segments too.</span>
          </li>
          <li>
            <strong>Gone for good</strong>
            <span>
              {deletionScheduledAt === undefined ? (
                `After ${ALL_GONE_DAYS} days`
              ) : (
                <>
                  By <time dateTime={deletionScheduledAt}>{formatDate(deletionScheduledAt)}</time>
                </>
              )}{' '}
              nothing is left: jobs, segments, keys, invoices, exports.
            </span>
          </li>
        </ol>
        {failure !== undefined && <FailureNotice failure={failure} onRetry={restore} />}
        <div class="row">
          <button
            type="button"
            class="button button-primary button-wide"
            aria-disabled={isBusy}
            onClick={restore}
          >
            <Icon name="retry" size={18} /> {isBusy ? 'Restoring …' : 'Restore my account'}
          </button>
        </div>
      </section>
      <Curl calls={[{ method: 'POST', path: '/api/v1/account/restore', credential: 'token' }]} />
    </Page>
  );
}
