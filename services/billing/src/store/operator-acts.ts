import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface OperatorAct {
  readonly id: string;
  readonly begunAt: Date;
  readonly operator: string;
  readonly action: string;
  readonly reason: string;
  /** JSON text. */
  readonly input: string;
  /** Null: the act concerns no account. */
  readonly accountId: string | null;
  /** Null: not known. */
  readonly outcome: string | null;
}

export async function insertAct(db: Queryable, act: Omit<OperatorAct, 'outcome'>): Promise<void> {
  await db.query(
    `insert into operator_acts (id, begun_at, operator, action, reason, input, account_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [act.id, act.begunAt, act.operator, act.action, act.reason, act.input, act.accountId],
  );
}

/** Keeps the first outcome. */
export async function setOutcome(db: Queryable, id: string, outcome: string): Promise<void> {
  await db.query('update operator_acts set outcome = $2 where id = $1 and outcome is null', [id, outcome]);
}

/** Newest first. Undefined account: all accounts. */
export async function listActs(
  db: Queryable,
  {
    accountId,
    limit,
    offset,
  }: { readonly accountId: string | undefined; readonly limit: number; readonly offset: number },
): Promise<OperatorAct[]> {
  const { rows } = await db.query<OperatorAct>(
    `select id, begun_at as "begunAt", operator, action, reason, input, account_id as "accountId", outcome
     from operator_acts ${accountId === undefined ? '' : 'where account_id = $3'}
     order by position desc limit $1 offset $2`,
    [limit, offset, ...(accountId === undefined ? [] : [accountId])],
  );
  return rows;
}
