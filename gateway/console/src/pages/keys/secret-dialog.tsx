import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';

/** Shows a secret, once. A click outside does not close it. */
export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title="Your new secret" onClose={onClose} isLight={false}>
      <div class="dialog-body">
        <p>Copy it now and store it where your program can read it. It is not shown again.</p>
        <div class="secret">
          <code data-testid="secret">{secret}</code>
          <CopyButton text={secret} what="the secret" isProminent />
        </div>
      </div>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          I have saved it
        </button>
      </div>
    </Dialog>
  );
}
