import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Subscription } from '../subscription/subscription.ts';
import type { OverageStretch } from '../usage/overage.ts';

type RunningPeriod = Pick<Subscription, 'id' | 'accountId' | 'currentPeriodStart'>;

export async function insertOverageStretch(
  db: Queryable,
  { id, accountId, currentPeriodStart }: RunningPeriod,
  stretch: OverageStretch,
): Promise<void> {
  await db.query(
    `insert into metered_overage (subscription_id, period_start, account_id, metered_minutes, overage_minutes,
       included_minutes, overage_millicents_per_minute)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      id,
      currentPeriodStart,
      accountId,
      stretch.meteredMinutes,
      stretch.overageMinutes,
      stretch.includedMinutes,
      stretch.millicentsPerMinute,
    ],
  );
}

/** The stretches of the current period, in order. */
export async function listOverageStretches(
  db: Queryable,
  { id, currentPeriodStart }: Pick<RunningPeriod, 'id' | 'currentPeriodStart'>,
): Promise<OverageStretch[]> {
  const { rows } = await db.query<Omit<OverageStretch, 'chargeId'> & { readonly chargeId: string | null }>(
    `select metered_minutes as "meteredMinutes", overage_minutes as "overageMinutes",
       included_minutes as "includedMinutes", overage_millicents_per_minute as "millicentsPerMinute",
       charges.id as "chargeId"
     from metered_overage left join charges on charges.id = charge_id and state <> 'declined'
     where metered_overage.subscription_id = $1 and period_start = $2
     order by metered_minutes`,
    [id, currentPeriodStart],
  );
  return rows.map((row) => ({ ...row, chargeId: row.chargeId ?? undefined }));
}

/** Assigns stretches to the charge unless another charge bills them. A decline needs no undo. */
export async function billOverageWith(
  db: Queryable,
  { id, currentPeriodStart }: Pick<RunningPeriod, 'id' | 'currentPeriodStart'>,
  chargeId: string,
): Promise<void> {
  await db.query(
    `update metered_overage set charge_id = $3
     where subscription_id = $1 and period_start = $2
       and not exists (select from charges where charges.id = charge_id and state <> 'declined')`,
    [id, currentPeriodStart, chargeId],
  );
}
