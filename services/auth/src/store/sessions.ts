import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Account } from './accounts.ts';

export interface Session {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function insertSession(db: Queryable, session: Session): Promise<void> {
  await db.query('insert into sessions (id, account_id, created_at, expires_at) values ($1, $2, $3, $4)', [
    session.id,
    session.accountId,
    session.createdAt,
    session.expiresAt,
  ]);
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

export interface SpentToken {
  readonly sessionId: string;
  readonly account: Account;
}

/** Uses a token up; undefined where it is unknown, spent before or past its session's end. Of two at once, one wins. */
export async function spendRefreshToken(
  db: Queryable,
  sha256: Buffer,
  now: Date,
): Promise<SpentToken | undefined> {
  const { rows } = await db.query<Account & { sessionId: string }>(
    `update refresh_tokens as token set spent_at = $2
     from sessions as session join accounts as account on account.id = session.account_id
     where token.sha256 = $1 and token.spent_at is null
       and session.id = token.session_id and session.expires_at > $2
     returning session.id as "sessionId", account.id, account.email, account.name, account.created_at as "createdAt"`,
    [sha256, now],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { sessionId, ...account } = row;
  return { sessionId, account };
}

/** Ends the session that a token belongs to, with all of its tokens. */
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
