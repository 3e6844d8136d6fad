import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface CallerProofs {
  readonly accountId: string;
  /** Digests of its network and its device. */
  readonly callers: readonly Buffer[];
  /** Callers last seen at this time or earlier no longer count. */
  readonly seenAfter: Date;
  /** Digest of a refresh token; a live one is sufficient. */
  readonly tokenSha256: Buffer;
  readonly now: Date;
}

export async function isKnownCaller(db: Queryable, proofs: CallerProofs): Promise<boolean> {
  const { accountId, callers, seenAfter, tokenSha256, now } = proofs;
  const { rows } = await db.query<{ isKnown: boolean }>(
    `select exists (
         select from known_callers where account_id = $1 and caller = any ($2) and last_seen_at > $3)
       or exists (
         select from refresh_tokens as token join sessions as session on session.id = token.session_id
         where token.sha256 = $4 and token.spent_at is null and session.account_id = $1
           and session.expires_at > $5) as "isKnown"`,
    [accountId, callers, seenAfter, tokenSha256, now],
  );
  return rows[0]?.isKnown === true;
}

/** Does nothing for an account that no longer exists. */
export async function saveKnownCallers(
  db: Queryable,
  accountId: string,
  callers: readonly Buffer[],
  now: Date,
): Promise<void> {
  await db.query(
    `with account as (select id from accounts where id = $1 for key share)
     insert into known_callers (account_id, caller, last_seen_at)
     select id, caller, $3 from account, unnest($2::bytea[]) as caller
     on conflict (account_id, caller) do update set last_seen_at = $3`,
    [accountId, callers, now],
  );
}

export async function deleteKnownCallers(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from known_callers where account_id = $1', [accountId]);
}

export async function pruneKnownCallers(db: Queryable, seenBefore: Date): Promise<void> {
  await db.query('delete from known_callers where last_seen_at <= $1', [seenBefore]);
}
