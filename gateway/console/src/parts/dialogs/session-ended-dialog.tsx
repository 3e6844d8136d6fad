import { useState } from 'preact/hooks';
import { useAccount } from '../../state/account.ts';
import { leaveConsole } from '../../state/leaving.ts';
import { navigate } from '../../state/location.ts';
import { signedIn, signedOut } from '../../state/session.ts';
import { signInWithCode } from '../../state/sign-in-with-code.ts';
import { CodeField } from '../entry/code-field.tsx';
import { EmailField } from '../entry/email-field.tsx';
import { EntryForm } from '../entry/entry-form.tsx';
import { PasswordField } from '../entry/password-field.tsx';
import { Dialog } from './dialog.tsx';

/** Over the page that its holder was at, which stays as it is. */
export function SessionEndedDialog() {
  const { data: account } = useAccount();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string>();
  const email = account?.email ?? typed;

  const enter = async () => signedIn(await signInWithCode({ email, password, code }, () => setCode('')));
  const leave = () => {
    signedOut();
    navigate('/sign-in');
  };
  return (
    <Dialog title="Your session has ended">
      <div class="dialog-body">
        <p>
          {account === undefined ? 'Sign in again' : <>Sign in again as {<strong>{account.email}</strong>}</>}{' '}
          to go on. This page stays as it is.
        </p>
        <EntryForm action="Sign in" running="Signing in …" onEnter={enter}>
          {(problemOf) => (
            <>
              {account === undefined ? (
                <EmailField value={typed} problem={problemOf('email')} onInput={setTyped} />
              ) : (
                // For password managers.
                <input type="email" name="email" autocomplete="username" value={email} readOnly hidden />
              )}
              <PasswordField
                name="password"
                value={password}
                problem={problemOf('password')}
                onInput={setPassword}
              />
              {code !== undefined && <CodeField value={code} problem={problemOf('code')} onInput={setCode} />}
            </>
          )}
        </EntryForm>
        <p class="entry-other">
          Not you?{' '}
          <button type="button" class="button button-quiet" onClick={() => leaveConsole(leave)}>
            Use another account
          </button>
        </p>
      </div>
    </Dialog>
  );
}
