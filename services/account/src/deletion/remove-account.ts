import { accountScopePrefix } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forgetAnswers } from '@audiosplit/chassis/idempotency/store';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { exportsPrefixOf } from '../export/export.ts';
import { deleteAccount } from '../store/accounts.ts';
import { deleteDeletion, insertPurge, lockAccount } from '../store/deletions.ts';
import { deleteExportsOf } from '../store/exports.ts';
import { deleteMailsOf } from '../store/mails.ts';
import { deletePresetsOf } from '../store/presets.ts';

/** Deletes this service's data of an account. Idempotent. */
export async function removeAccount(
  pool: Pool,
  openStore: () => Promise<ObjectStore>,
  accountId: string,
  now: Date,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    await insertPurge(client, accountId, now);
    await removeRows(client, accountId);
  });
  // An export in progress finds its row gone and deletes its own file.
  await (await openStore()).deletePrefix(exportsPrefixOf(accountId));
}

async function removeRows(db: Queryable, accountId: string): Promise<void> {
  await deleteAccount(db, accountId);
  await deleteDeletion(db, accountId);
  await deleteExportsOf(db, accountId);
  await deleteMailsOf(db, accountId);
  await deletePresetsOf(db, accountId);
  await forgetAnswers(db, accountScopePrefix(accountId));
}
