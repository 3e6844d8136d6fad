import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface SecondFactorRow {
  readonly sealedSecret: Buffer;
  /** Null: begun, but not confirmed. */
  readonly enabledAt: Date | null;
}

export async function findSecondFactor(
  db: Queryable,
  accountId: string,
): Promise<SecondFactorRow | undefined> {
  const { rows } = await db.query<SecondFactorRow>(
    'select sealed_secret as "sealedSecret", enabled_at as "enabledAt" from second_factors where account_id = $1',
    [accountId],
  );
  return rows[0];
}

/** Replaces a factor that is not enabled. False if one is enabled, or if the account does not exist. */
export async function beginSecondFactor(
  db: Queryable,
  accountId: string,
  sealedSecret: Buffer,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into second_factors as known (account_id, sealed_secret) select id, $2 from accounts where id = $1
     on conflict (account_id) do update set sealed_secret = excluded.sealed_secret where known.enabled_at is null`,
    [accountId, sealedSecret],
  );
  return rowCount === 1;
}

/** False if it is already enabled, or another one was begun meanwhile. */
export async function enableSecondFactor(
  db: Queryable,
  accountId: string,
  { sealedSecret, step, now }: { readonly sealedSecret: Buffer; readonly step: number; readonly now: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update second_factors set enabled_at = $3, last_step = $4
     where account_id = $1 and sealed_secret = $2 and enabled_at is null`,
    [accountId, sealedSecret, now, step],
  );
  return rowCount === 1;
}

/** False if this code or a later one has been used. */
export async function useStep(db: Queryable, accountId: string, step: number): Promise<boolean> {
  const { rowCount } = await db.query(
    'update second_factors set last_step = $2 where account_id = $1 and last_step < $2',
    [accountId, step],
  );
  return rowCount === 1;
}

/** Also deletes its recovery codes. */
export async function deleteSecondFactor(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from second_factors where account_id = $1', [accountId]);
}

export async function replaceRecoveryCodes(
  db: Queryable,
  accountId: string,
  digests: readonly Buffer[],
): Promise<void> {
  await db.query('delete from recovery_codes where account_id = $1', [accountId]);
  await db.query('insert into recovery_codes (account_id, sha256) select $1, unnest($2::bytea[])', [
    accountId,
    digests,
  ]);
}

/** False if the code is wrong or used. */
export async function useRecoveryCode(db: Queryable, accountId: string, sha256: Buffer): Promise<boolean> {
  const { rowCount } = await db.query('delete from recovery_codes where account_id = $1 and sha256 = $2', [
    accountId,
    sha256,
  ]);
  return rowCount === 1;
}

export async function countRecoveryCodes(db: Queryable, accountId: string): Promise<number> {
  const { rowCount } = await db.query('select from recovery_codes where account_id = $1', [accountId]);
  return rowCount ?? 0;
}
