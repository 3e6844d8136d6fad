/** Finds accounts for operators. Returns ids in order. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export async function findAccountsWithOverrides(db: Queryable, limit: number): Promise<string[]> {
  return idsOf(
    await db.query<IdRow>(
      `select account_id as "accountId" from accounts
       where num_nonnulls(requests_per_minute_override, concurrent_jobs_override, max_file_size_bytes_override,
                          monthly_minutes_override, price_per_month_cents_override,
                          overage_millicents_per_minute_override) > 0
       order by account_id limit $1`,
      [limit],
    ),
  );
}

/** By account id, or by the beginning of the mail address, case-insensitively. */
export async function findAccounts(db: Queryable, query: string, limit: number): Promise<string[]> {
  return idsOf(
    await db.query<IdRow>(
      `select account_id as "accountId" from accounts
       where account_id = $1
          or (lower(email) ~>=~ lower($1) and lower(email) ~<~ (lower($1) || U&'\\+10FFFF'))
       order by account_id limit $2`,
      [query, limit],
    ),
  );
}

interface IdRow {
  readonly accountId: string;
}

function idsOf({ rows }: { readonly rows: readonly IdRow[] }): string[] {
  return rows.map(({ accountId }) => accountId);
}
