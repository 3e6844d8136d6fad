import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { TokenUse } from '../sign-in/refresh-token.ts';
import type { Account } from './accounts.ts';

/** The client of a session. Null: unknown. */
export interface SessionUse {
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
}

interface Session extends SessionUse {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * False if the account no longer exists, or has another password than the one checked for this session (null:
 * none was checked).
 */
export async function insertSession(
  db: Queryable,
  session: Session,
  passwordHash: string | null,
): Promise<boolean> {
  const { id, accountId, createdAt, expiresAt, clientAddress, userAgent } = session;
  const { rowCount } = await db.query(
    `insert into sessions (id, account_id, created_at, last_used_at, expires_at, client_address, user_agent)
     select $1, id, $3, $3, $4, $5, $6 from accounts
     where id = $2 and ($7::text is null or password_hash = $7) for key share`,
    [id, accountId, createdAt, expiresAt, clientAddress, userAgent, passwordHash],
  );
  return rowCount === 1;
}

export async function useSession(db: Queryable, id: string, use: SessionUse, now: Date): Promise<void> {
  await db.query(
    'update sessions set last_used_at = $2, client_address = $3, user_agent = $4 where id = $1',
    [id, now, use.clientAddress, use.userAgent],
  );
}

/** Whether a session is still valid. Its use is recorded at most once a minute. */
export async function isSessionLive(
  db: Queryable,
  accountId: string,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await db.query<{ isLive: boolean }>(
    `with live as (
       select id from sessions where id = $1 and account_id = $2 and expires_at > $3
     ), used as (
       update sessions set last_used_at = $3
       where id = (select id from live) and (last_used_at is null or last_used_at < $3::timestamptz - interval '1 minute')
     )
     select exists (select from live) as "isLive"`,
    [sessionId, accountId, now],
  );
  return onlyRow({ rows }).isLive;
}

/** Whether all sessions of an account were ever ended together. */
export async function wereSessionsEnded(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from accounts where id = $1 and sessions_ended_at is not null',
    [accountId],
  );
  return rowCount === 1;
}

export interface ListedSession extends SessionUse {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

/** Bounds the list. */
const MAX_LISTED = 100;

/** Live sessions, the most recently used first. */
export async function listSessions(db: Queryable, accountId: string, now: Date): Promise<ListedSession[]> {
  const { rows } = await db.query<ListedSession>(
    `select id, created_at as "createdAt", coalesce(last_used_at, created_at) as "lastUsedAt",
       client_address as "clientAddress", user_agent as "userAgent"
     from sessions where account_id = $1 and expires_at > $2
     order by coalesce(last_used_at, created_at) desc, id desc limit $3`,
    [accountId, now, MAX_LISTED],
  );
  return rows;
}

/** False if the account has no such session. */
export async function deleteSessionOf(db: Queryable, accountId: string, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from sessions where id = $1 and account_id = $2', [
    sessionId,
    accountId,
  ]);
  return rowCount === 1;
}

/** @param kept The session that is not deleted. Empty: none. */
export async function deleteSessionsOf(
  db: Queryable,
  accountId: string,
  kept: string,
  now: Date,
): Promise<void> {
  // Locks the account first, as everywhere.
  await db.query('update accounts set sessions_ended_at = $2 where id = $1', [accountId, now]);
  await db.query('delete from sessions where account_id = $1 and id <> $2', [accountId, kept]);
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
