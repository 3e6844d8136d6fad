import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { CodeField } from '../../parts/entry/code-field.tsx';
import { PasswordField } from '../../parts/entry/password-field.tsx';
import { SettingForm } from '../../parts/entry/setting-form.tsx';
import { announce } from '../../state/announce.ts';

const WORDS = {
  renew: {
    title: 'New recovery codes',
    lead: 'The codes that you have now stop working.',
    action: 'Create new codes',
  },
  off: {
    title: 'Turn the second factor off',
    lead: 'Signing in will take only the password.',
    action: 'Turn it off',
  },
} as const;

interface ChangeSecondFactorProps {
  readonly kind: keyof typeof WORDS;
  readonly onClose: () => void;
  /** Called with the new recovery codes; none where it is off. */
  readonly onDone: (codes: readonly string[]) => void;
}

export function ChangeSecondFactorDialog({ kind, onClose, onDone }: ChangeSecondFactorProps) {
  const [current, setCurrent] = useState('');
  const [code, setCode] = useState('');
  const { title, lead, action } = WORDS[kind];
  const change = async () => {
    if (kind === 'renew') {
      const { recoveryCodes } = await api.security.renewRecoveryCodes.mutate({ current, code });
      onDone(recoveryCodes);
      return;
    }
    await api.security.removeSecondFactor.mutate({ current, code });
    announce('The second factor is off.');
    onDone([]);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-body">
        <p>{lead}</p>
        <SettingForm action={action} onSave={change}>
          {(problemOf) => (
            <>
              <PasswordField value={current} problem={problemOf('current')} onInput={setCurrent} />
              <CodeField value={code} problem={problemOf('code')} onInput={setCode} />
            </>
          )}
        </SettingForm>
      </div>
    </Dialog>
  );
}
