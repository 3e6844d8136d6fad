import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { CodeField } from '../../parts/entry/code-field.tsx';
import { PasswordField } from '../../parts/entry/password-field.tsx';
import { SettingForm } from '../../parts/entry/setting-form.tsx';
import { announce } from '../../state/announce.ts';

interface BeginSecondFactorProps {
  readonly onClose: () => void;
  /** Called with the recovery codes. */
  readonly onDone: (codes: readonly string[]) => void;
}

interface Begun {
  readonly secret: string;
  readonly uri: string;
}

export function BeginSecondFactorDialog({ onClose, onDone }: BeginSecondFactorProps) {
  const [current, setCurrent] = useState('');
  const [code, setCode] = useState('');
  const [begun, setBegun] = useState<Begun>();
  const begin = async () => setBegun(await api.security.beginSecondFactor.mutate({ current }));
  const confirm = async () => {
    const { recoveryCodes } = await api.security.confirmSecondFactor.mutate({ code });
    announce('The second factor is on.');
    onDone(recoveryCodes);
  };
  return (
    <Dialog title="Turn the second factor on" onClose={onClose} isLight={false}>
      <div class="dialog-body">
        {begun === undefined ? (
          <SettingForm key="begin" action="Go on" onSave={begin}>
            {(problemOf) => (
              <PasswordField value={current} problem={problemOf('current')} onInput={setCurrent} />
            )}
          </SettingForm>
        ) : (
          <>
            <p>Scan the picture with an authenticator app, or type its secret there.</p>
            <QrCode text={begun.uri} />
            <div class="secret">
              <code>{begun.secret}</code>
              <CopyButton text={begun.secret} what="the secret" />
            </div>
            <SettingForm key="confirm" action="Turn it on" onSave={confirm}>
              {(problemOf) => (
                <CodeField
                  hint="The six digits that the app shows now."
                  value={code}
                  problem={problemOf('code')}
                  onInput={setCode}
                />
              )}
            </SettingForm>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Drawn by code that is fetched when it is needed. */
function QrCode({ text }: { readonly text: string }) {
  const [path, setPath] = useState<{ readonly d: string; readonly size: number }>();
  useEffect(() => {
    let isCurrent = true;
    // Without it the secret can still be typed.
    import('uqr').then(
      ({ encode }) => {
        const { data, size } = encode(text, { border: 2 });
        const d = data.flatMap((row, y) =>
          row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
        );
        if (isCurrent) setPath({ d: d.join(''), size });
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [text]);
  if (path === undefined) return <div class="qr" />;
  return (
    <svg class="qr" viewBox={`0 0 ${path.size} ${path.size}`} role="img" aria-label="QR code of the secret">
      <path d={path.d} />
    </svg>
  );
}
