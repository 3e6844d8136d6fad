import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { PasswordField } from '../../parts/entry/password-field.tsx';
import { SettingForm } from '../../parts/entry/setting-form.tsx';
import { Panel } from '../../parts/panel.tsx';
import { announce } from '../../state/announce.ts';

export function PasswordPanel({
  email,
  onChanged,
}: {
  readonly email: string;
  readonly onChanged: () => void;
}) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const save = async () => {
    await api.security.changePassword.mutate({ current, password });
    setCurrent('');
    setPassword('');
    announce('Your password is changed, and your other sessions have ended.');
    onChanged();
  };
  return (
    <Panel title="Password" lead="A new password ends your other sessions. API keys keep working.">
      <SettingForm action="Change the password" onSave={save}>
        {(problemOf) => (
          <>
            {/* For password managers. */}
            <input type="email" name="email" autocomplete="username" value={email} readOnly hidden />
            <PasswordField
              label="Current password"
              value={current}
              problem={problemOf('current')}
              onInput={setCurrent}
            />
            <PasswordField
              label="New password"
              isNew
              value={password}
              problem={problemOf('password')}
              onInput={setPassword}
            />
          </>
        )}
      </SettingForm>
      <Curl
        calls={[
          {
            method: 'PUT',
            path: '/api/v1/account/password',
            credential: 'token',
            body: { current: 'your password', password: 'another password' },
          },
        ]}
      />
    </Panel>
  );
}
