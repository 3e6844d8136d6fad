import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../src/parts/dialogs/confirm.tsx';
import { ReasonField } from './parts.tsx';

interface ActDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly onAct: (reason: string) => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks why before something is done: the audit log keeps it. */
export function ActDialog({ onAct, children, ...dialog }: ActDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <Confirm
      {...dialog}
      dismissal="Back"
      isReady={reason.trim() !== ''}
      onConfirm={() => onAct(reason.trim())}
    >
      {children}
      <ReasonField value={reason} onInput={setReason} />
    </Confirm>
  );
}
