import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { Waveform } from '../parts/audio/waveform.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Curl } from '../parts/curl.tsx';
import { CodeField } from '../parts/entry/code-field.tsx';
import { EmailField } from '../parts/entry/email-field.tsx';
import { EntryForm } from '../parts/entry/entry-form.tsx';
import { PasswordField } from '../parts/entry/password-field.tsx';
import { PublicFrame } from '../parts/frame/public-frame.tsx';
import { Link } from '../parts/link.tsx';
import { entryPath, hasDestination } from '../state/entry-address.ts';
import { externalIssuer } from '../state/issuer.ts';
import { signedIn } from '../state/session.ts';
import { signInWithCode } from '../state/sign-in-with-code.ts';
import { sampleOutline } from './sample-outline.ts';

const WORDS = {
  'sign-up': { title: 'Create your account', action: 'Create account', running: 'Creating …' },
  'sign-in': { title: 'Sign in', action: 'Sign in', running: 'Signing in …' },
} as const;

const OUTLINE = sampleOutline();

export function SignInPage({ kind }: { readonly kind: keyof typeof WORDS }) {
  const title = externalIssuer === undefined ? WORDS[kind].title : 'Sign in elsewhere';
  useEffect(() => {
    document.title = `${title} · audiosplit`;
  }, [title]);
  return (
    <PublicFrame>
      <main class="entry-main" id="main">
        <section class="pitch">
          <h1>Long audio, cut to size.</h1>
          <p>
            Into segments of a length you choose, or below a size that is never exceeded. Lossless where the
            format stays the same.
          </p>
          <div class="pitch-wave">
            <Waveform
              peaks={OUTLINE}
              seconds={OUTLINE.seconds}
              pieces={[0, 60, 120, 180, 240].map((start) => ({ start, end: start + 60 }))}
              label="A recording of five minutes, cut into five segments of one minute"
              active={2}
            />
            <div class="pitch-marks" aria-hidden="true">
              {['0:00', '1:00', '2:00', '3:00', '4:00'].map((mark) => (
                <span key={mark}>{mark}</span>
              ))}
            </div>
          </div>
          <ul class="pitch-points">
            <li>Drop a file or paste a link</li>
            <li>Listen to any segment before you download</li>
            <li>Everything is an API, too</li>
          </ul>
        </section>
        {externalIssuer === undefined ? (
          <EntryCard key={kind} kind={kind} />
        ) : (
          <ElsewhereCard issuer={externalIssuer} />
        )}
      </main>
    </PublicFrame>
  );
}

/** With an external issuer there are no sessions: its tokens are for programs. */
function ElsewhereCard({ issuer }: { readonly issuer: string }) {
  return (
    <section class="card entry-card" aria-labelledby="entry-title">
      <h2 id="entry-title">Accounts are managed elsewhere</h2>
      <p>This installation has no sign-in of its own. Its accounts are those of</p>
      <div class="secret">
        <code>{issuer}</code>
        <CopyButton text={issuer} what="the issuer" />
      </div>
      <p class="hint">
        Sign in there and send the access token with each call of the API. The first call creates an account.
      </p>
      <a class="button button-primary button-wide" href="/docs">
        Read how to use the API
      </a>
      <Curl calls={[{ path: '/api/v1/account', credential: 'token' }]} />
    </section>
  );
}

function EntryCard({ kind }: { readonly kind: keyof typeof WORDS }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string>();
  const { title, action, running } = WORDS[kind];
  const isNew = kind === 'sign-up';

  const enter = async () => {
    if (isNew) signedIn(await api.session.signUp.mutate({ email, password }));
    else signedIn(await signInWithCode({ email, password, code }, () => setCode('')));
  };

  return (
    <section class="card entry-card" aria-labelledby="entry-title">
      <h2 id="entry-title">{title}</h2>
      {!isNew && hasDestination() && <p class="hint">Sign in to see this page.</p>}
      {isNew && <p class="hint">Free: 60 minutes of audio a month, no card needed.</p>}
      <EntryForm action={action} running={running} onEnter={enter}>
        {(problemOf) => (
          <>
            <EmailField value={email} problem={problemOf('email')} onInput={setEmail} />
            <PasswordField
              name="password"
              isNew={isNew}
              value={password}
              problem={problemOf('password')}
              onInput={setPassword}
            />
            {code !== undefined && <CodeField value={code} problem={problemOf('code')} onInput={setCode} />}
          </>
        )}
      </EntryForm>
      {!isNew && (
        <p class="entry-other">
          <Link to="/password/forgot">Forgot your password?</Link>
        </p>
      )}
      <p class="entry-other">
        {isNew ? 'Already have an account? ' : 'New here? '}
        <Link to={entryPath(isNew ? '/sign-in' : '/sign-up')}>{isNew ? 'Sign in' : 'Create an account'}</Link>
      </p>
      <Curl
        calls={[
          {
            method: 'POST',
            path: `/api/v1/auth/${isNew ? 'register' : 'login'}`,
            credential: 'none',
            body: { email: email || 'you@example.com', password: 'your password' },
          },
        ]}
      />
    </section>
  );
}
