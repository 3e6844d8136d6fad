import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface UsageThreshold {
  readonly metric: 'minutes' | 'spend';
  readonly percent: number;
}

/** False if it has already been published in this period. */
export async function insertThreshold(
  db: Queryable,
  accountId: string,
  periodStart: Date,
  { metric, percent }: UsageThreshold,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into usage_thresholds (account_id, period_start, metric, percent) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [accountId, periodStart, metric, percent],
  );
  return rowCount === 1;
}

/** Deletes thresholds of periods that began before the given time. */
export async function forgetThresholds(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from usage_thresholds where period_start < $1', [before]);
}
