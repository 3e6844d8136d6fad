import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../src/parts/dialogs/confirm.tsx';
import { ReasonField } from './parts.tsx';

interface ActDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  /** The account's holder gets the reason by mail. */
  readonly isMailed?: boolean;
  /** Whether the rest of the dialog is filled in. */
  readonly isReady?: boolean;
  readonly onAct: (reason: string) => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks why before something is done: the audit log keeps it. */
export function ActDialog({ isMailed = false, isReady = true, onAct, children, ...dialog }: ActDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <Confirm
      {...dialog}
      dismissal="Back"
      isReady={isReady && reason.trim() !== ''}
      onConfirm={() => onAct(reason.trim())}
    >
      {children}
      <ReasonField value={reason} isMailed={isMailed} onInput={setReason} />
    </Confirm>
  );
}
