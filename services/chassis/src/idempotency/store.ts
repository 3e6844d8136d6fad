import { onlyRow, type Queryable } from '../postgres/pool.ts';
import type { IdempotencyKey } from './idempotency-key.ts';

export interface StoredAnswer {
  /** The service's method that gave the response. */
  readonly method: string;
  readonly fingerprint: string;
  readonly answer: Buffer;
}

export async function findAnswer(
  db: Queryable,
  { scope, key }: IdempotencyKey,
  now: Date,
): Promise<StoredAnswer | undefined> {
  const { rows } = await db.query<StoredAnswer>(
    `select method, fingerprint, answer from idempotency_keys
     where scope = $1 and key = $2 and expires_at > $3`,
    [scope, key, now],
  );
  return rows[0];
}

/** False while another transaction holds the key; otherwise this one holds it until it ends. */
export async function tryLockKey(db: Queryable, { scope, key }: IdempotencyKey): Promise<boolean> {
  const result = await db.query<{ locked: boolean }>(
    // 64 bits: two keys with the same hash would block one another.
    'select pg_try_advisory_xact_lock(hashtextextended(current_schema() || $1, 0)) as locked',
    [`\nidempotency\n${scope}\n${key}`],
  );
  return onlyRow(result).locked;
}

interface NewAnswer extends Pick<StoredAnswer, 'method' | 'answer'> {
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Also deletes a few expired responses of other keys. */
export async function storeAnswer(
  db: Queryable,
  { scope, key, fingerprint }: IdempotencyKey,
  { method, answer, now, expiresAt }: NewAnswer,
): Promise<void> {
  await db.query(
    `insert into idempotency_keys (scope, key, method, fingerprint, answer, expires_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (scope, key) do update
     set method = excluded.method, fingerprint = excluded.fingerprint, answer = excluded.answer,
       expires_at = excluded.expires_at
     where idempotency_keys.expires_at <= $7`,
    [scope, key, method, fingerprint, answer, expiresAt, now],
  );
  await db.query(
    `delete from idempotency_keys where (scope, key) in (
       select scope, key from idempotency_keys where expires_at <= $1
       order by expires_at limit 10 for update skip locked)`,
    [now],
  );
}

/** Deletes all stored responses whose scope has this prefix (`accountScopePrefix`). */
export async function forgetAnswers(db: Queryable, scopePrefix: string): Promise<void> {
  await db.query('delete from idempotency_keys where starts_with(scope, $1)', [scopePrefix]);
}

/** Deletes expired responses. */
export async function pruneAnswers(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from idempotency_keys where expires_at <= $1', [now]);
}
