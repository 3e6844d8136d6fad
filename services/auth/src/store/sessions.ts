import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { TokenUse } from '../sign-in/refresh-token.ts';
import type { Account } from './accounts.ts';

export interface Session {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** False if the account no longer exists. */
export async function insertSession(db: Queryable, session: Session): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into sessions (id, account_id, created_at, expires_at)
     select $1, id, $3, $4 from accounts where id = $2 for key share`,
    [session.id, session.accountId, session.createdAt, session.expiresAt],
  );
  return rowCount === 1;
}

export async function insertRefreshToken(
  db: Queryable,
  sessionId: string,
  sha256: Buffer,
  issuedAt: Date,
): Promise<void> {
  await db.query('insert into refresh_tokens (sha256, session_id, issued_at) values ($1, $2, $3)', [
    sha256,
    sessionId,
    issuedAt,
  ]);
}

interface LockedSession {
  readonly id: string;
  readonly expiresAt: Date;
  readonly account: Account;
}

/**
 * Locks a token's session until the transaction ends. The session is always locked before its tokens, because two
 * requests with tokens of one session could deadlock otherwise.
 */
export async function lockSessionOfToken(db: Queryable, sha256: Buffer): Promise<LockedSession | undefined> {
  const { rows } = await db.query<Account & { sessionId: string; expiresAt: Date }>(
    `select session.id as "sessionId", session.expires_at as "expiresAt",
       account.id, account.email, account.name, account.created_at as "createdAt"
     from sessions as session join accounts as account on account.id = session.account_id
     where session.id = (select session_id from refresh_tokens where sha256 = $1)
     for update of session`,
    [sha256],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { sessionId, expiresAt, ...account } = row;
  return { id: sessionId, expiresAt, account };
}

/** Spends the token and returns undefined, or returns its earlier use. */
export async function spendRefreshToken(
  db: Queryable,
  sha256: Buffer,
  { spentAt, spentBy }: TokenUse,
): Promise<TokenUse | undefined> {
  const { rowCount } = await db.query(
    'update refresh_tokens set spent_at = $2, spent_by = $3 where sha256 = $1 and spent_at is null',
    [sha256, spentAt, spentBy],
  );
  if (rowCount === 1) return undefined;
  const result = await db.query<TokenUse>(
    'select spent_at as "spentAt", spent_by as "spentBy" from refresh_tokens where sha256 = $1',
    [sha256],
  );
  return onlyRow(result);
}

export async function deleteSession(db: Queryable, sessionId: string): Promise<void> {
  await db.query('delete from sessions where id = $1', [sessionId]);
}

/** Deletes a token's session with all its tokens. */
export async function deleteSessionOfToken(db: Queryable, sha256: Buffer): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from sessions where id = (select session_id from refresh_tokens where sha256 = $1)',
    [sha256],
  );
  return rowCount === 1;
}

export async function pruneSessions(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from sessions where expires_at <= $1', [now]);
}
