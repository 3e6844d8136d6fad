import { useEffect, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../src/api/failure.ts';
import { Announcer } from '../../src/parts/announcer.tsx';
import { Brand } from '../../src/parts/brand.tsx';
import { Field } from '../../src/parts/field.tsx';
import { FailureNotice } from '../../src/parts/notices.tsx';
import { ThemeSwitch } from '../../src/parts/theme-switch.tsx';
import { api } from '../api.ts';

export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [operator, setOperator] = useState('');
  const [secret, setSecret] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · audiosplit operators';
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    setFailure(undefined);
    try {
      await api.session.signIn.mutate({ operator, secret });
      onSignedIn();
    } catch (error) {
      setFailure(failureOf(error));
      setRunning(false);
    }
  };

  return (
    <div class="entry">
      <header class="entry-top">
        <Brand />
        <nav aria-label="Settings">
          <ThemeSwitch />
        </nav>
      </header>
      <main class="entry-main entry-narrow" id="main">
        <section class="card entry-card" aria-labelledby="entry-title">
          <h1 id="entry-title">Operators</h1>
          <p class="hint">What you change here is written down with your name.</p>
          <form onSubmit={submit}>
            <Field label="Name" problem={failure?.fields.get('operator')}>
              {(ids) => (
                <input
                  {...ids}
                  type="text"
                  name="operator"
                  required
                  autocomplete="username"
                  autocapitalize="none"
                  spellcheck={false}
                  value={operator}
                  onInput={(event) => setOperator(event.currentTarget.value)}
                />
              )}
            </Field>
            <Field label="Secret" problem={failure?.fields.get('secret')}>
              {(ids) => (
                <input
                  {...ids}
                  type="password"
                  name="secret"
                  required
                  autocomplete="current-password"
                  value={secret}
                  onInput={(event) => setSecret(event.currentTarget.value)}
                />
              )}
            </Field>
            {failure !== undefined && failure.fields.size === 0 && <FailureNotice failure={failure} />}
            <button type="submit" class="button button-primary button-wide" aria-disabled={isRunning}>
              {isRunning ? 'Signing in …' : 'Sign in'}
            </button>
          </form>
        </section>
      </main>
      <Announcer />
    </div>
  );
}
