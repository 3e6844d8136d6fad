import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Deletion, Purge } from '../deletion/deletion.ts';

const DELETION_COLUMNS = `account_id as "accountId", requested_at as "requestedAt", purge_at as "purgeAt",
  complete_by as "completeBy"`;
const PURGE_COLUMNS = 'account_id as "accountId", purged_at as "purgedAt", announcements';

/** Held until the transaction ends. Closing, restoring, purging and exporting an account take this lock. */
export async function lockAccount(db: Queryable, accountId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtext('account'), hashtext($1))", [accountId]);
}

export async function insertDeletion(db: Queryable, deletion: Deletion): Promise<void> {
  await db.query(
    'insert into deletions (account_id, requested_at, purge_at, complete_by) values ($1, $2, $3, $4)',
    [deletion.accountId, deletion.requestedAt, deletion.purgeAt, deletion.completeBy],
  );
}

export async function findDeletion(db: Queryable, accountId: string): Promise<Deletion | undefined> {
  const { rows } = await db.query<Deletion>(
    `select ${DELETION_COLUMNS} from deletions where account_id = $1`,
    [accountId],
  );
  return rows[0];
}

export async function deleteDeletion(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from deletions where account_id = $1', [accountId]);
}

export async function listDueDeletions(db: Queryable, now: Date, limit: number): Promise<Deletion[]> {
  const { rows } = await db.query<Deletion>(
    `select ${DELETION_COLUMNS} from deletions where purge_at <= $1 order by purge_at limit $2`,
    [now, limit],
  );
  return rows;
}

/** Its event is due at once. */
export async function insertPurge(db: Queryable, accountId: string, now: Date): Promise<void> {
  await db.query(
    `insert into purges (account_id, purged_at, announcements, next_announcement_at) values ($1, $2, 0, $2)
     on conflict (account_id) do nothing`,
    [accountId, now],
  );
}

export async function isPurged(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from purges where account_id = $1', [accountId]);
  return rowCount === 1;
}

/** Locks the purge whose event is due next, skipping those locked by another process. */
export async function lockDuePurge(db: Queryable, now: Date): Promise<Purge | undefined> {
  const { rows } = await db.query<Purge>(
    `select ${PURGE_COLUMNS} from purges where next_announcement_at <= $1
     order by next_announcement_at limit 1 for update skip locked`,
    [now],
  );
  return rows[0];
}

export async function updateAnnouncements(
  db: Queryable,
  purge: Purge,
  nextAt: Date | undefined,
): Promise<void> {
  await db.query('update purges set announcements = $2, next_announcement_at = $3 where account_id = $1', [
    purge.accountId,
    purge.announcements,
    nextAt ?? null,
  ]);
}

export async function forgetPurges(db: Queryable, purgedBefore: Date): Promise<void> {
  await db.query('delete from purges where purged_at <= $1 and next_announcement_at is null', [purgedBefore]);
}
