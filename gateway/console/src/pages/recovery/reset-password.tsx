import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { EntryForm } from '../../parts/entry/entry-form.tsx';
import { PasswordField } from '../../parts/entry/password-field.tsx';
import { announce } from '../../state/announce.ts';
import { navigate } from '../../state/location.ts';
import { signedOut } from '../../state/session.ts';
import { CutOffLink, RecoveryCard, tokenHere } from './recovery-card.tsx';

export function ResetPasswordPage() {
  const [password, setPassword] = useState('');
  const token = tokenHere();
  const reset = async () => {
    await api.session.resetPassword.mutate({ token, password });
    signedOut();
    navigate('/sign-in');
    announce('Your password is changed. Sign in with it.');
  };
  return (
    <RecoveryCard
      title="Choose a new password"
      way={{ to: '/password/forgot', label: 'Request another link' }}
    >
      {token === '' ? (
        <CutOffLink />
      ) : (
        <>
          <p>This signs you out everywhere. API keys keep working.</p>
          <EntryForm action="Change the password" running="Changing …" onEnter={reset}>
            {(problemOf) => (
              <PasswordField
                label="New password"
                isNew
                value={password}
                problem={problemOf('password')}
                onInput={setPassword}
              />
            )}
          </EntryForm>
        </>
      )}
    </RecoveryCard>
  );
}
