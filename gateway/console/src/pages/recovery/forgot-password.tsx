import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { EmailField } from '../../parts/entry/email-field.tsx';
import { EntryForm } from '../../parts/entry/entry-form.tsx';
import { announce } from '../../state/announce.ts';
import { RecoveryCard } from './recovery-card.tsx';

export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const [sentTo, setSentTo] = useState<string>();
  const ask = async () => {
    await api.session.forgotPassword.mutate({ email });
    setSentTo(email);
    announce('If the address has an account, a mail is on its way.');
  };
  if (sentTo !== undefined) {
    return (
      <RecoveryCard title="Check your mail">
        <p>
          If <strong>{sentTo}</strong> has an account here, a mail with a link is on its way. It works once,
          for 30 minutes.
        </p>
        <p class="hint">
          Nothing came? Look among the spam, or ask again in five minutes; there is one mail in that time.
        </p>
      </RecoveryCard>
    );
  }
  return (
    <RecoveryCard title="Forgot your password?">
      <p class="hint">Enter your address, and we mail you a link to choose a new one.</p>
      <EntryForm action="Mail me a link" running="Sending …" onEnter={ask}>
        {(problemOf) => <EmailField value={email} problem={problemOf('email')} onInput={setEmail} />}
      </EntryForm>
      <Curl
        calls={[
          {
            method: 'POST',
            path: '/api/v1/auth/password/forgot',
            credential: 'none',
            body: { email: email || 'you@example.com' },
          },
        ]}
      />
    </RecoveryCard>
  );
}
