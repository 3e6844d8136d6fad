/**
 * The session, as far as the page has to know. The tokens are in cookies that scripts cannot read; the page stores the
 * expiry of the access token and its account. Tabs renew in turn, because a refresh token works once.
 */
import type { SignedIn } from '@audiosplit/gateway/console/session-procedures';
import { failureOf } from '../api/failure.ts';
import { SessionOverError } from '../api/session-over.ts';
import { announce } from './announce.ts';
import { createStore } from './store.ts';

const STORED = 'audiosplit.session-ends';
/** Kept after sign-out: a returning user is offered to sign in, not to sign up. */
const STORED_OWNER = 'audiosplit.account';
const LOCK = 'audiosplit.session';
/** Bounds the wait of other calls and tabs. */
const RENEWAL_TIMEOUT_MS = 10_000;
/** Renews ahead of the expiry, so that a call in flight still finds the token valid. */
const MARGIN_MS = 60_000;

/** `ended`: the session is over, and its page waits for its holder to sign in again. */
type SessionState = 'in' | 'ended' | 'out';

export const session = createStore<SessionState>(endsAt() === 0 ? 'out' : 'in');

/** Increases when a different account signs in. */
export const ownerVersion = createStore(0);

/** The last account that signed in. Null if none ever has. */
let owner = localStorage.getItem(STORED_OWNER);

/** Increases when the signed-in account changes. */
export const accountVersion = createStore(0);

export function accountChanged(): void {
  accountVersion.set(accountVersion.get() + 1);
}

/** The account that the page belongs to; null before the first sign-in. */
export function holderNow(): string | null {
  return owner;
}

/** Whether the session in the cookies is still that of `holder`. Another tab may have signed in as somebody else. */
export function isHeldBy(holder: string | null): boolean {
  const stored = localStorage.getItem(STORED_OWNER);
  // The storage event may arrive later than this call.
  if (stored !== null && stored !== owner) {
    ownedBy(stored);
    session.set(endsAt() === 0 ? 'out' : 'in');
  }
  return owner === holder;
}

/** Whether an account has ever signed in here. */
export function isKnown(): boolean {
  return owner !== null;
}

export function isExpiring(): boolean {
  return session.get() === 'in' && Date.now() > endsAt() - MARGIN_MS;
}

export function signedIn({ account, expiresIn }: SignedIn): void {
  localStorage.setItem(STORED_OWNER, account.id);
  localStorage.setItem(STORED, String(Date.now() + expiresIn * 1_000));
  ownedBy(account.id);
  session.set('in');
}

export function signedOut(): void {
  localStorage.removeItem(STORED);
  session.set('out');
}

/**
 * Renews the session. If it is over, resolves when its holder has signed in again. Throws SessionOverError if the holder
 * signs out or another account signs in instead, and another Error if the server does not answer.
 */
export async function regainSession(): Promise<void> {
  const holder = owner;
  const isRenewed = session.get() === 'in' && (await renewSession());
  if (!isHeldBy(holder)) throw new SessionOverError('another account has signed in');
  if (isRenewed) return;
  // Another tab may have signed out meanwhile.
  if (session.get() === 'in') session.set('ended');
  await signedInAgain();
}

/** Renews before a link that the browser follows with the session's cookie, which expires with its token. */
export function renewBeforeLink(event: Event & { readonly currentTarget: HTMLAnchorElement }): void {
  const link = event.currentTarget;
  if (!isExpiring()) return;
  event.preventDefault();
  regainSession().then(
    () => link.click(),
    (reason) => announce(failureOf(reason).message),
  );
}

function signedInAgain(): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      if (session.get() === 'ended') return;
      stop();
      if (session.get() === 'in') resolve();
      else reject(new SessionOverError('signed out'));
    };
    const stop = session.subscribe(settle);
    settle();
  });
}

/** False if the session is over. */
async function renewSession(): Promise<boolean> {
  const before = endsAt();
  const renew = async () => {
    if (endsAt() > before) return true;
    const response = await fetch('/console/trpc/session.renew', {
      method: 'POST',
      headers: { 'x-audiosplit-console': '1', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(RENEWAL_TIMEOUT_MS),
    });
    // Another tab may have signed in meanwhile.
    if (response.status === 401) return endsAt() > before;
    if (!response.ok) throw new Error(`the session was not renewed (${response.status})`);
    const { result } = await response.json();
    signedIn(result.data);
    return true;
  };
  // Locks need a secure origin. The gateway tolerates two simultaneous renewals.
  return navigator.locks === undefined ? await renew() : await navigator.locks.request(LOCK, renew);
}

/** Signing in or out in one tab does so in all. */
addEventListener('storage', ({ key, newValue }) => {
  if (key === STORED_OWNER && newValue !== null) ownedBy(newValue);
  if (key === STORED) session.set(endsAt() === 0 ? 'out' : 'in');
});

/** Drops what belongs to another account. */
function ownedBy(accountId: string): void {
  if (owner !== null && owner !== accountId) {
    session.set('out');
    ownerVersion.set(ownerVersion.get() + 1);
  }
  owner = accountId;
}

function endsAt(): number {
  return Number(localStorage.getItem(STORED) ?? 0);
}
