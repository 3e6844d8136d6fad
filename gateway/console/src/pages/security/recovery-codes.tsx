import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesProps) {
  return (
    <Dialog title="Your recovery codes" onClose={onClose} isLight={false}>
      <div class="dialog-body">
        <p>
          Each code signs you in once without the app. Store them where you can reach them without your phone:
          they are shown only now.
        </p>
        <ul class="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div class="row">
          <CopyButton text={codes.join('\n')} what="the recovery codes" />
          <button type="button" class="button button-primary" onClick={onClose}>
            I have saved them
          </button>
        </div>
      </div>
    </Dialog>
  );
}
