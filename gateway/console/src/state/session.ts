/**
 * Who is signed in, as far as the page has to know. The tokens are in cookies that it cannot read; what it keeps is when
 * the access token ends. Tabs take turns at renewing, as a refresh token works once: whoever has waited for its turn finds
 * the work done.
 */
import { createStore } from './store.ts';

const STORED = 'audiosplit.session-ends';
const LOCK = 'audiosplit.session';
/** A call that has just begun should still find the token valid. */
const MARGIN_MS = 60_000;

export type SessionState = 'in' | 'out';

export const session = createStore<SessionState>(endsAt() === 0 ? 'out' : 'in');

/** Grows when something is different about the account that is signed in. */
export const accountVersion = createStore(0);

export function accountChanged(): void {
  accountVersion.set(accountVersion.get() + 1);
}

export function isExpiring(): boolean {
  return session.get() === 'in' && Date.now() > endsAt() - MARGIN_MS;
}

export function signedIn(expiresInSeconds: number): void {
  localStorage.setItem(STORED, String(Date.now() + expiresInSeconds * 1_000));
  session.set('in');
}

export function signedOut(): void {
  localStorage.removeItem(STORED);
  session.set('out');
}

/** Rejects where there is no session any more, or nobody to ask. */
export async function renewSession(): Promise<void> {
  const before = endsAt();
  const renew = async () => {
    if (endsAt() > before) return;
    const response = await fetch('/console/trpc/session.renew', {
      method: 'POST',
      headers: { 'x-audiosplit-console': '1', 'content-type': 'application/json' },
    });
    if (!response.ok) throw new Error(`the session was not renewed (${response.status})`);
    const { result } = await response.json();
    signedIn(result.data.expiresIn);
  };
  // Locks are there on secure origins only; the gateway bears with two tabs at once for a moment.
  await (navigator.locks === undefined ? renew() : navigator.locks.request(LOCK, renew));
}

/** Signing in or out in one tab does so in all. */
addEventListener('storage', ({ key }) => {
  if (key === STORED) session.set(endsAt() === 0 ? 'out' : 'in');
});

function endsAt(): number {
  return Number(localStorage.getItem(STORED) ?? 0);
}
