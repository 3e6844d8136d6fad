/**
 * The remaining minutes of an account. Billing counts a completed job when its event arrives. Each query
 * therefore names the completed jobs that may not be counted yet, and the response says which of them are.
 * Jobs that complete between the query and the claim are uncertain: they count as used until the next query.
 */
import type { Pool, Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { readLimits } from '../store/limits.ts';
import { type AskedJobs, listUnsettled, markSettled, settleAndReadHeld } from '../store/minutes.ts';
import type { Standing } from './reservation.ts';

/** For one claim or reservation: jobs of the account may complete while billing answers. */
export const MAX_QUESTIONS = 3;

/** Billing's answer. */
export interface Quota {
  /** Milliseconds of source until the account's limit; undefined: unlimited. */
  readonly leftMs: number | undefined;
  /** Which of the named jobs are counted; undefined: this release of billing does not say. */
  readonly countedJobIds: readonly string[] | undefined;
}

export type FetchQuota = (accountId: string, jobIds: readonly string[]) => Promise<Quota>;

/** A response of billing, with the time in this service's database at which it was requested. */
export interface Allowance {
  readonly leftMs: number;
  readonly askedJobIds: ReadonlySet<string>;
  /** All that were asked about if this release of billing does not say. */
  readonly countedJobIds: ReadonlySet<string>;
  /** Those that billing says it has counted. */
  readonly settledJobIds: readonly string[];
  readonly asOf: Date;
}

interface AllowanceDependencies {
  readonly pool: Pool;
  readonly fetchQuota: FetchQuota;
  readonly log: Logger;
}

/**
 * Queries billing. Undefined: the account has no limit; or its plan allows overage and billing does not
 * answer, which must not stop paid plans. `asked` is read from the database unless given.
 */
export async function fetchAllowance(
  { pool, fetchQuota, log }: AllowanceDependencies,
  accountId: string,
  asked?: AskedJobs,
): Promise<Allowance | undefined> {
  const { asOf, jobIds } = asked ?? (await listUnsettled(pool, accountId));
  const quota = await fetchQuota(accountId, jobIds).catch(async (error: unknown) => {
    if ((await readLimits(pool, accountId))?.overageAllowed !== true) throw error;
    log.warn({ err: error, accountId }, 'billing does not answer; no spend limit is applied');
    return undefined;
  });
  if (quota === undefined) return undefined;
  const { leftMs, countedJobIds } = quota;
  const settledJobIds = countedJobIds ?? [];
  if (leftMs === undefined) {
    await markSettled(pool, accountId, settledJobIds);
    return undefined;
  }
  const askedJobIds = new Set(jobIds);
  return { leftMs, askedJobIds, countedJobIds: new Set(countedJobIds ?? jobIds), settledJobIds, asOf };
}

/**
 * Call it under the lock of the account's queue row. The job's own reservation does not count. Jobs that billing has
 * counted are marked as settled.
 */
export async function standingUnder(
  db: Queryable,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  { leftMs, askedJobIds, countedJobIds, settledJobIds, asOf }: Allowance,
): Promise<Standing> {
  const asked = { accountId, exceptJobId: id, asOf, settledJobIds };
  const { unsettled, heldMs } = await settleAndReadHeld(db, asked);
  const sum = (jobs: typeof unsettled) => jobs.reduce((total, { meteredMs }) => total + meteredMs, 0);
  const uncounted = unsettled.filter(({ jobId }) => askedJobIds.has(jobId) && !countedJobIds.has(jobId));
  const uncertain = unsettled.filter(({ jobId }) => !askedJobIds.has(jobId));
  return {
    leftMs: leftMs - sum(uncounted),
    uncertainMs: sum(uncertain),
    heldMs,
  };
}
