import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api/client.ts';
import { PendingDeletionPage } from '../pages/pending-deletion.tsx';
import { useAccount } from '../state/account.ts';
import { announce } from '../state/announce.ts';
import { navigate } from '../state/location.ts';
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
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/usage', label: 'Usage' },
  { to: '/billing', label: 'Billing' },
] as const;

export function Shell({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const { data: account } = useAccount();
  const isClosed = account !== undefined && (account.isClosed || account.deletionScheduledAt !== undefined);
  const nav = useRef<HTMLElement>(null);
  // On a narrow window the pages are a strip that is wider than it.
  useEffect(() => {
    const show = () =>
      nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [path]);
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
          <nav ref={nav} class="top-nav" aria-label="Pages">
            {!isClosed &&
              PLACES.map(({ to, label }) => (
                <Link key={to} to={to} aria-current={isAt(to) ? 'page' : undefined}>
                  {label}
                </Link>
              ))}
            <a href="/docs">API docs</a>
          </nav>
          <div class="top-account">
            <Link
              to="/account"
              class="who"
              title={account?.email}
              aria-current={isAt('/account') ? 'page' : undefined}
            >
              <span class="visually-hidden">Account</span>
              <span class="who-words">
                <span class="who-name">{account?.name || account?.email || ' '}</span>
                <span class="who-plan">{account === undefined ? ' ' : `${account.plan.name} plan`}</span>
              </span>
              <Icon name="person" />
            </Link>
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
      <main id="main">{isClosed ? <PendingDeletionPage account={account} /> : children}</main>
      <Announcer />
    </>
  );
}
