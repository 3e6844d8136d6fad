import { useEffect, useState } from 'preact/hooks';
import { Announcer } from '../../src/parts/announcer.tsx';
import { EntryForm } from '../../src/parts/entry/entry-form.tsx';
import { Field } from '../../src/parts/field.tsx';
import { Brand } from '../../src/parts/frame/brand.tsx';
import { ThemeSwitch } from '../../src/parts/frame/theme-switch.tsx';
import { api } from '../api.ts';

export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [operator, setOperator] = useState('');
  const [secret, setSecret] = useState('');
  useEffect(() => {
    document.title = 'Sign in · audiosplit operators';
  }, []);

  const enter = async () => {
    await api.session.signIn.mutate({ operator, secret });
    onSignedIn();
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
          <EntryForm action="Sign in" running="Signing in …" onEnter={enter}>
            {(problemOf) => (
              <>
                <Field label="Name" problem={problemOf('operator')}>
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
                <Field label="Secret" problem={problemOf('secret')}>
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
              </>
            )}
          </EntryForm>
        </section>
      </main>
      <Announcer />
    </div>
  );
}
