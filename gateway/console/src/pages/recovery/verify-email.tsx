/** Verifying takes a press, since filters of mail open links too. */
import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { EntryForm } from '../../parts/entry/entry-form.tsx';
import { announce } from '../../state/announce.ts';
import { accountChanged, session } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { CutOffLink, RecoveryCard, tokenHere } from './recovery-card.tsx';

export function VerifyEmailPage() {
  const [isDone, setDone] = useState(false);
  const isIn = useStore(session) === 'in';
  const token = tokenHere();
  const verify = async () => {
    await api.session.verifyEmail.mutate({ token });
    accountChanged();
    setDone(true);
    announce('Your address is verified.');
  };
  const way = isIn ? { to: '/', label: 'Split a file' } : { to: '/sign-in', label: 'Sign in' };
  return (
    <RecoveryCard title={isDone ? 'Your address is verified' : 'Verify your address'} way={way}>
      {isDone ? (
        <p>You sign in with it, and mails about your account go there.</p>
      ) : token === '' ? (
        <CutOffLink />
      ) : (
        <>
          <p>Press the button to confirm that the address of this mail belongs to your account.</p>
          <EntryForm action="Verify the address" running="Verifying …" onEnter={verify}>
            {() => null}
          </EntryForm>
        </>
      )}
    </RecoveryCard>
  );
}
