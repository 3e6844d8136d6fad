/** Claims of deliveries for an attempt, and their outcomes. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { ClaimedDelivery, DeliveryState } from '../delivery/delivery.ts';

export interface Claim {
  readonly accountId: string;
  readonly now: Date;
  /** When the attempt counts as lost. */
  readonly until: Date;
  readonly maxInFlight: number;
}

/**
 * The account's deliveries that are due at $2. An untried delivery is due at once, even if the clock of the replica that
 * created it is ahead, up to a minute; the bound keeps the query from reading retries of later.
 */
const IS_DUE = `account_id = $1 and status = 'pending' and next_attempt_at <= $2::timestamptz + interval '1 minute'
  and (tries = 0 or next_attempt_at <= $2)`;

/**
 * Claims the account's delivery that has been due for longest, unless the account has as many in flight as allowed.
 * Skipped are deliveries whose subject has an attempt in flight, and untried ones with an earlier untried delivery of the
 * same subject: numbers give the order of creation, as clocks may differ.
 * In a transaction: claims of one account wait for one another, which makes the limit exact.
 */
export async function claimDueDelivery(db: Queryable, claim: Claim): Promise<ClaimedDelivery | undefined> {
  const { accountId, now, until, maxInFlight } = claim;
  await db.query("select pg_advisory_xact_lock(hashtext('webhooks.claims'), hashtext($1))", [accountId]);
  const { rows } = await db.query<ClaimedDelivery>(
    `with in_flight as (
       select subject from deliveries where account_id = $1 and attempt_until > $2
     )
     update deliveries set attempt_until = $3, fence = fence + 1
     where status = 'pending' and (select count(*) from in_flight) < $4 and number = (
       select number from deliveries as due
       where ${IS_DUE} and subject not in (select subject from in_flight)
         and (tries > 0 or not exists (
           select from deliveries as earlier
           where account_id = $1 and subject = due.subject and number < due.number
             and status = 'pending' and tries = 0))
       order by next_attempt_at, number limit 1)
     returning id, account_id as "accountId", url, body, tries, fence, trace`,
    [accountId, now, until, maxInFlight],
  );
  return rows[0];
}

/** Whether a delivery is due and has no attempt in flight. */
export async function hasDueDelivery(db: Queryable, accountId: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from deliveries where ${IS_DUE} and (attempt_until is null or attempt_until <= $2) limit 1`,
    [accountId, now],
  );
  return rowCount === 1;
}

/** Until the transaction ends. Undefined when the delivery is gone. */
export async function lockFence(db: Queryable, id: string): Promise<number | undefined> {
  const { rows } = await db.query<{ fence: number }>(
    'select fence from deliveries where id = $1 for update',
    [id],
  );
  return rows[0]?.fence;
}

/** Ends the attempt in flight; the caller has checked the fence. */
export async function settleDelivery(db: Queryable, id: string, state: DeliveryState): Promise<void> {
  await db.query(
    `update deliveries set status = $2, next_attempt_at = $3, attempt_until = null, tries = tries + 1
     where id = $1`,
    [id, state.status, state.status === 'pending' ? state.nextAttemptAt : null],
  );
}

/** As if it had not been claimed: the attempt does not count. */
export async function returnClaim(db: Queryable, { id, fence }: ClaimedDelivery): Promise<void> {
  await db.query('update deliveries set attempt_until = null where id = $1 and fence = $2', [id, fence]);
}

/** Accounts with a delivery that has been due since `before` without anyone attempting it. */
export async function findOverdueAccounts(
  db: Queryable,
  before: Date,
  now: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>(
    `select distinct account_id from deliveries
     where status = 'pending' and next_attempt_at < $1 and (attempt_until is null or attempt_until <= $2)
     limit $3`,
    [before, now, limit],
  );
  return rows.map((row) => row.account_id);
}
