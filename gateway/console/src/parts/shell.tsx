import type { ComponentChildren } from 'preact';
import { api } from '../api/client.ts';
import { announce } from '../state/announce.ts';
import { navigate } from '../state/location.ts';
import { useQuery } from '../state/query.ts';
import { signedOut } from '../state/session.ts';
import { Announcer } from './announcer.tsx';
import { Brand } from './brand.tsx';
import { Icon } from './icons.tsx';
import { Link } from './link.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const PLACES = [
  { to: '/', label: 'Split' },
  { to: '/jobs', label: 'Jobs' },
  { to: '/keys', label: 'API keys' },
  { to: '/usage', label: 'Usage' },
] as const;

export function Shell({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const account = useQuery('account', () => api.account.get.query());
  const signOut = async () => {
    // The session on this machine ends whether or not anybody hears of it.
    await api.session.signOut.mutate().catch(() => {});
    signedOut();
    navigate('/sign-in');
    announce('You are signed out.');
  };
  const isAt = (to: string) => (to === '/' ? path === '/' : path.startsWith(to));
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <Link to="/" class="top-brand" aria-label="audiosplit, split a file">
            <Brand />
          </Link>
          <nav class="top-nav" aria-label="Pages">
            {PLACES.map(({ to, label }) => (
              <Link key={to} to={to} aria-current={isAt(to) ? 'page' : undefined}>
                {label}
              </Link>
            ))}
            <a href="/docs">API docs</a>
          </nav>
          <div class="top-account">
            <span class="who" title={account.data?.email}>
              <span class="who-name">{account.data?.name || account.data?.email || ' '}</span>
              <span class="who-plan">
                {account.data === undefined ? ' ' : `${account.data.plan.name} plan`}
              </span>
            </span>
            <ThemeSwitch />
            <button
              type="button"
              class="button button-quiet button-icon"
              onClick={signOut}
              aria-label="Sign out"
              title="Sign out"
            >
              <Icon name="out" />
            </button>
          </div>
        </div>
      </header>
      <main id="main">{children}</main>
      <Announcer />
    </>
  );
}
