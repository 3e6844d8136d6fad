/** Accounts of the tests on passwords, addresses and sessions. */
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { decodeJwt } from 'jose';
import { type AuthFixture, PASSWORD } from '../auth.fixture.ts';

export interface RegisteredAccount {
  readonly accountId: string;
  readonly email: string;
  readonly sessionId: string;
  readonly refreshToken: string;
}

export const NEW_PASSWORD = 'a new battery, a new horse';

let accounts = 0;

export function newAddress(): string {
  return `holder-${++accounts}@example.com`;
}

export async function registerAccount(
  { auth }: AuthFixture,
  email = newAddress(),
): Promise<RegisteredAccount> {
  const { session } = await auth.register({ email, password: PASSWORD });
  if (session?.account === undefined) throw new Error('no session');
  const sessionId = String(decodeJwt(session.accessToken).sid);
  return { accountId: session.account.id, email, sessionId, refreshToken: session.refreshToken };
}

/**
 * Whether access tokens of a session are accepted. Empty: tokens of earlier releases, which name no session.
 */
export async function isTaken(
  { auth }: AuthFixture,
  { accountId, sessionId }: Pick<RegisteredAccount, 'accountId' | 'sessionId'>,
): Promise<boolean> {
  try {
    await auth.getAccountLimits({ accountId, sessionId });
    return true;
  } catch (error) {
    if (hasReason(error, Reason.UNAUTHORIZED)) return false;
    throw error;
  }
}

/** The kinds of all mails that auth has requested for an account, oldest first. */
export async function mailsFor(
  { published }: AuthFixture,
  accountId: string,
  count: number,
): Promise<readonly (readonly [kind: string, email: string])[]> {
  const events = await published('mailRequested', accountId, count);
  return events.map(({ payload }) => {
    if (payload.case !== 'mailRequested') throw new Error(`a ${payload.case}`);
    return [payload.value.kind, payload.value.email] as const;
  });
}
