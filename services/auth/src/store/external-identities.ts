import type { Queryable } from '@audiosplit/chassis/postgres/pool';

/** The subject of a token: `iss` and `sub`, which together are never reassigned (OpenID Connect Core, 2). */
export interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

export interface ExternalIdentity extends Subject {
  readonly accountId: string;
  readonly email: string | null;
  readonly name: string;
  /** When the issuer signed this profile. Null: unknown. */
  readonly profileIssuedAt: Date | null;
  readonly createdAt: Date;
}

const COLUMNS = `account_id as "accountId", issuer, subject, email, name, profile_issued_at as "profileIssuedAt",
  created_at as "createdAt"`;

/** Locks the subject until the transaction ends. */
export async function lockSubject(db: Queryable, { issuer, subject }: Subject): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtext('external_identities'), hashtext($1))", [
    JSON.stringify([issuer, subject]),
  ]);
}

export async function findBySubject(
  db: Queryable,
  { issuer, subject }: Subject,
): Promise<ExternalIdentity | undefined> {
  const { rows } = await db.query<ExternalIdentity>(
    `select ${COLUMNS} from external_identities where issuer = $1 and subject = $2`,
    [issuer, subject],
  );
  return rows[0];
}

export async function findByAccount(db: Queryable, accountId: string): Promise<ExternalIdentity | undefined> {
  const { rows } = await db.query<ExternalIdentity>(
    `select ${COLUMNS} from external_identities where account_id = $1`,
    [accountId],
  );
  return rows[0];
}

export async function insertExternalIdentity(db: Queryable, identity: ExternalIdentity): Promise<void> {
  await db.query(
    `insert into external_identities (account_id, issuer, subject, email, name, profile_issued_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      identity.accountId,
      identity.issuer,
      identity.subject,
      identity.email,
      identity.name,
      identity.profileIssuedAt,
      identity.createdAt,
    ],
  );
}

/** Writes all fields that can change. */
export async function updateExternalIdentity(db: Queryable, identity: ExternalIdentity): Promise<void> {
  await db.query(
    'update external_identities set email = $2, name = $3, profile_issued_at = $4 where account_id = $1',
    [identity.accountId, identity.email, identity.name, identity.profileIssuedAt],
  );
}

export async function deleteExternalIdentity(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from external_identities where account_id = $1', [accountId]);
}
