/** Claims of deliveries for an attempt, and their outcomes. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { type ClaimedDelivery, type DeliveryState, PING } from '../delivery/delivery.ts';
import { OPEN_MS, TIMEOUTS_UNTIL_OPEN } from './circuits.ts';

export interface Claim {
  readonly accountId: string;
  readonly now: Date;
  /** When the attempt counts as lost. */
  readonly until: Date;
  readonly maxInFlight: number;
  readonly maxInFlightToHost: number;
}

/**
 * The account's deliveries that are due at $2. An untried delivery is due at once, even if the clock of the
 * replica that created it is up to a minute ahead; the bound keeps the query from reading later retries.
 */
const IS_DUE = `account_id = $1 and status = 'pending' and next_attempt_at <= $2::timestamptz + interval '1 minute'
  and (tries = 0 or next_attempt_at <= $2)`;

/** An earlier version writes no host. */
const HOST = 'coalesce(due.host, due.url)';

/**
 * Claims the account's delivery that has been due for longest, unless the account has its maximum in flight.
 * It skips deliveries to a host with its maximum in flight, which is none while its circuit is open (except
 * for a ping) and one after that. It also skips deliveries of a subject to a target that has an attempt of
 * the subject in flight, and untried ones with an earlier untried delivery of the same subject and target;
 * numbers give the order of creation, because clocks may differ. Call it in a transaction: claims of one
 * account wait for one another, which makes the limits exact.
 */
export async function claimDueDelivery(db: Queryable, claim: Claim): Promise<ClaimedDelivery | undefined> {
  const { accountId, now, until, maxInFlight, maxInFlightToHost } = claim;
  await db.query("select pg_advisory_xact_lock(hashtext('webhooks.claims'), hashtext($1))", [accountId]);
  const { rows } = await db.query<ClaimedDelivery>(
    `with in_flight as (
       select subject, url, coalesce(host, url) as host from deliveries where account_id = $1 and attempt_until > $2
     )
     update deliveries set attempt_until = $3, fence = fence + 1
     where status = 'pending' and (select count(*) from in_flight) < $4 and number = (
       select number from deliveries as due
       where ${IS_DUE}
         and (select count(*) from in_flight where host = ${HOST}) < coalesce(
           (select case when timed_out_at > $6 and due.type <> $8 then 0 else 1 end from circuits
            where account_id = $1 and host = ${HOST} and timeouts >= $7), $5)
         and not exists (select from in_flight where subject = due.subject and url = due.url)
         and (tries > 0 or not exists (
           select from deliveries as earlier
           where account_id = $1 and subject = due.subject and url = due.url and number < due.number
             and status = 'pending' and tries = 0))
       order by next_attempt_at, number limit 1)
     returning id, account_id as "accountId", type, url, coalesce(host, url) as host, body, tries, fence, trace`,
    [accountId, now, until, maxInFlight, maxInFlightToHost, openedAfter(now), TIMEOUTS_UNTIL_OPEN, PING],
  );
  return rows[0];
}

/** A circuit is open if its last timeout came after this time. */
function openedAfter(now: Date): Date {
  return new Date(now.getTime() - OPEN_MS);
}

/** Whether a delivery is due and has no attempt in flight. */
export async function hasDueDelivery(db: Queryable, accountId: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from deliveries where ${IS_DUE} and (attempt_until is null or attempt_until <= $2) limit 1`,
    [accountId, now],
  );
  return rowCount === 1;
}

/** Held until the transaction ends. Undefined if the delivery no longer exists. */
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

/** Undoes the claim: the attempt does not count. */
export async function returnClaim(db: Queryable, { id, fence }: ClaimedDelivery): Promise<void> {
  await db.query('update deliveries set attempt_until = null where id = $1 and fence = $2', [id, fence]);
}

/**
 * Accounts with a delivery that has been due since `before` without an attempt in flight, and is not waiting
 * for an open circuit.
 */
export async function findOverdueAccounts(
  db: Queryable,
  before: Date,
  now: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>(
    `select distinct account_id from deliveries as due
     where status = 'pending' and next_attempt_at < $1 and (attempt_until is null or attempt_until <= $2)
       and not exists (
         select from circuits
         where account_id = due.account_id and host = ${HOST} and timeouts >= $5 and timed_out_at > $4)
     limit $3`,
    [before, now, limit, openedAfter(now), TIMEOUTS_UNTIL_OPEN],
  );
  return rows.map((row) => row.account_id);
}
