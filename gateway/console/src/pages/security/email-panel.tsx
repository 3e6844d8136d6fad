import { useState } from 'preact/hooks';
import { api, type Security } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { EmailField } from '../../parts/entry/email-field.tsx';
import { PasswordField } from '../../parts/entry/password-field.tsx';
import { SettingForm } from '../../parts/entry/setting-form.tsx';
import { Panel } from '../../parts/panel.tsx';
import { announce } from '../../state/announce.ts';
import { MailAgain } from './mail-again.tsx';

export function EmailPanel({
  security,
  onChanged,
}: {
  readonly security: Security;
  readonly onChanged: () => void;
}) {
  const { email, emailVerified, pendingEmail } = security;
  const [next, setNext] = useState('');
  const [current, setCurrent] = useState('');
  const save = async () => {
    await api.security.changeEmail.mutate({ email: next, current });
    announce(`A link is mailed to ${next}.`);
    setNext('');
    setCurrent('');
    onChanged();
  };
  return (
    <Panel
      title="Email"
      lead={
        <>
          You sign in with <strong>{email}</strong>
          {emailVerified ? ', which is verified.' : ', which is not verified yet.'}
        </>
      }
    >
      {pendingEmail !== undefined && (
        <p class="panel-note" role="status">
          It will change to <strong>{pendingEmail}</strong> once you open the link that was mailed there.
        </p>
      )}
      {(pendingEmail !== undefined || !emailVerified) && <MailAgain />}
      <SettingForm action="Change the address" onSave={save}>
        {(problemOf) => (
          <>
            <EmailField
              label="New address"
              hint="We mail a link to it, and a notice to the current one."
              value={next}
              problem={problemOf('email')}
              onInput={setNext}
            />
            <PasswordField value={current} problem={problemOf('current')} onInput={setCurrent} />
          </>
        )}
      </SettingForm>
      <Curl
        calls={[
          {
            method: 'PUT',
            path: '/api/v1/account/email',
            credential: 'token',
            body: { email: next || 'new@example.com', current: 'your password' },
          },
        ]}
      />
    </Panel>
  );
}
