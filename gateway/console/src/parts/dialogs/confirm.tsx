import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../api/failure.ts';
import { FailureNotice } from '../notices.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  /** On the button that closes the dialog. */
  readonly dismissal?: string;
  readonly isDangerous?: boolean;
  /** Whether what is asked for is complete. */
  readonly isReady?: boolean;
  /** The dialog stays, and says so, when it fails. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Confirm(props: ConfirmProps) {
  const { title, action, isDangerous = false, isReady = true, onConfirm, onClose, children } = props;
  const { dismissal = 'Cancel' } = props;
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const confirm = async (event: Event) => {
    event.preventDefault();
    if (isRunning || !isReady) return;
    setRunning(true);
    setFailure(undefined);
    await onConfirm().catch((error) => {
      setFailure(failureOf(error));
      setRunning(false);
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm}>
        <div class="dialog-body">
          {children}
          {failure !== undefined && <FailureNotice failure={failure} />}
        </div>
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {dismissal}
          </button>
          <button
            type="submit"
            class={isDangerous ? 'button button-danger' : 'button button-primary'}
            disabled={!isReady}
            aria-disabled={isRunning}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
