import { useState } from 'preact/hooks';
import { formatDate } from '../../../src/format/format.ts';
import { announce } from '../../../src/state/announce.ts';
import { ActDialog } from '../../act-dialog.tsx';
import { type Account, api } from '../../api.ts';

interface SuspensionProps {
  readonly account: Account;
  readonly onActed: () => void;
}

/** Suspends the account, or ends its suspension. */
export function SuspensionButton({ account: { accountId, suspension }, onActed }: SuspensionProps) {
  const [isAsking, setAsking] = useState(false);
  const isSuspended = suspension !== null;
  const act = async (reason: string) => {
    await api.accounts[isSuspended ? 'restore' : 'suspend'].mutate({ accountId, reason });
    setAsking(false);
    announce(isSuspended ? 'The account is restored.' : 'The account is suspended.');
    onActed();
  };
  return (
    <>
      <button
        type="button"
        class={isSuspended ? 'button' : 'button button-danger-quiet'}
        onClick={() => setAsking(true)}
      >
        {isSuspended ? 'Restore' : 'Suspend'}
      </button>
      {isAsking && (
        <ActDialog
          title={isSuspended ? 'Restore the account?' : 'Suspend the account?'}
          action={isSuspended ? 'Restore the account' : 'Suspend the account'}
          isDangerous={!isSuspended}
          isMailed
          onAct={act}
          onClose={() => setAsking(false)}
        >
          <p>
            {isSuspended
              ? 'It can do everything again within seconds, and its queued jobs go on.'
              : 'Within seconds it starts no jobs and changes nothing that costs money. Running jobs are finished, queued ones wait. It can read, download, export, pay, cancel and delete. Its subscription goes on.'}
          </p>
        </ActDialog>
      )}
    </>
  );
}

export function SuspensionNotice({ suspension }: { readonly suspension: Account['suspension'] }) {
  if (suspension === null) return null;
  return (
    <div class="notice notice-bad" role="status">
      <p>
        <strong>Suspended since {formatDate(suspension.suspendedAt)}.</strong> {suspension.reason}
      </p>
    </div>
  );
}
