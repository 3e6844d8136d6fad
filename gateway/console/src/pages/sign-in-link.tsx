/** Where the link of a mail leads. Signing in takes a press, since mail filters open links too. */
import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { CodeField } from '../parts/entry/code-field.tsx';
import { EntryForm } from '../parts/entry/entry-form.tsx';
import { PublicFrame } from '../parts/frame/public-frame.tsx';
import { Link } from '../parts/link.tsx';
import { signedIn } from '../state/session.ts';
import { askingForCode } from '../state/sign-in-with-code.ts';

export const LINK_PATH = '/sign-in/link';
const TITLE = 'Sign in by a link';

export function SignInLinkPage() {
  useEffect(() => {
    document.title = `${TITLE} · audiosplit`;
  }, []);
  // Behind the #, so that it is in no log of a server.
  const token = location.hash.slice(1);
  const [code, setCode] = useState<string>();
  const enter = async () => {
    const credentials = code === undefined ? { token } : { token, code };
    signedIn(await askingForCode(api.session.signInByLink.mutate(credentials), () => setCode('')));
  };
  return (
    <PublicFrame>
      <main class="entry-main" id="main">
        <section class="card entry-card" aria-labelledby="entry-title">
          <h1 id="entry-title">{TITLE}</h1>
          {token === '' ? (
            <p>The link is incomplete. Open it again from the mail.</p>
          ) : (
            <>
              <p>The link works once, for 30 minutes. After that your password works here again.</p>
              <EntryForm action="Sign in" running="Signing in …" onEnter={enter}>
                {(problemOf) =>
                  code !== undefined && (
                    <CodeField value={code} problem={problemOf('code')} onInput={setCode} />
                  )
                }
              </EntryForm>
            </>
          )}
          <p class="entry-other">
            <Link to="/sign-in">Sign in with the password</Link>
          </p>
        </section>
      </main>
    </PublicFrame>
  );
}
