import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface UsageThreshold {
  readonly metric: 'minutes' | 'spend';
  readonly percent: number;
}

/** Returns those that have not been published in this period before. */
export async function insertThresholds<Reached extends UsageThreshold>(
  db: Queryable,
  accountId: string,
  periodStart: Date,
  reached: readonly Reached[],
): Promise<readonly Reached[]> {
  if (reached.length === 0) return reached;
  const { rows } = await db.query<UsageThreshold>(
    `insert into usage_thresholds (account_id, period_start, metric, percent)
     select $1, $2, metric, percent from unnest($3::text[], $4::int[]) reached (metric, percent)
     on conflict do nothing returning metric, percent`,
    [accountId, periodStart, reached.map(({ metric }) => metric), reached.map(({ percent }) => percent)],
  );
  return reached.filter(({ metric, percent }) =>
    rows.some((row) => row.metric === metric && row.percent === percent),
  );
}

/** Deletes thresholds of periods that began before the given time. */
export async function forgetThresholds(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from usage_thresholds where period_start < $1', [before]);
}
