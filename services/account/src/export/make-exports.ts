/**
 * Makes exports: claims one that is due, gathers its data straight into a zip in the object store, and tells of it.
 *
 * A claim lasts CLAIM_MS and is prolonged before each page. Failure modes: a process that dies leaves a claim that runs
 * out, and the export is begun anew; a service or the store that is away costs an attempt, and the pauses between them
 * grow; a claim that has been lost, or an account that has been purged, is noticed at the next page or at the end, and
 * the attempt takes its file away. A process that stops hands the export back uncounted. Readers see a file only once
 * it is whole.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { Account } from '../account.ts';
import type { AccountDependencies } from '../account-dependencies.ts';
import { exportFinished } from '../events.ts';
import * as messages from '../mail/messages.ts';
import { queueMail } from '../mail/queued-mail.ts';
import { claimDueExport, endExport, planAttempt } from '../store/exports.ts';
import { type AccountData, type DataSources, readAccountData } from './account-data.ts';
import { accountTables, invoicePath } from './account-tables.ts';
import { type ArchiveEntry, packArchive } from './archive.ts';
import {
  completeExport,
  type Export,
  type ExportFile,
  failExport,
  isOutOfAttempts,
  nextAttemptAt,
  objectKeyOf,
  objectPrefixOf,
} from './export.ts';
import type { ExportLink } from './export-link.ts';
import { toCsv, toJson } from './table.ts';

export interface ExportMaker extends AccountDependencies {
  readonly sources: DataSources;
  readonly openStore: () => Promise<ObjectStore>;
  readonly linkTo: ExportLink;
  readonly log: Logger;
  /** Hands back what is being made. */
  readonly stopping: AbortSignal;
}

/** Longer than a page can take. */
const CLAIM_MS = 2 * 60_000;

/** Makes all that are due, one after the other. */
export async function makeDueExports(maker: ExportMaker): Promise<void> {
  const { pool, clock, stopping } = maker;
  while (!stopping.aborted) {
    const now = clock();
    const claimed = await claimDueExport(pool, now, new Date(now.getTime() + CLAIM_MS));
    if (claimed === undefined) return;
    await make(maker, claimed).catch((error: unknown) => giveBack(maker, claimed, error));
  }
}

async function make(maker: ExportMaker, claimed: Export): Promise<void> {
  const { clock, findHolder, openStore } = maker;
  if (isOutOfAttempts(claimed)) throw new Error('attempts before this one were all cut off');
  const holder = await findHolder(claimed.accountId);
  if (holder === undefined) throw new Error('the account is not known');
  const objectKey = objectKeyOf(claimed);
  const store = await openStore();
  try {
    const file = await write(maker, claimed, holder, store, objectKey);
    const isMine = await end(maker, completeExport(claimed, file, clock()), holder);
    if (!isMine) throw new ClaimLostError();
  } catch (error) {
    await store.delete([objectKey]).catch(() => undefined);
    throw error;
  }
}

async function write(
  { pool, clock, sources, stopping }: ExportMaker,
  claimed: Export,
  holder: Account,
  store: ObjectStore,
  objectKey: string,
): Promise<ExportFile> {
  const prolong = async () => {
    stopping.throwIfAborted();
    const until = new Date(clock().getTime() + CLAIM_MS);
    if (!(await planAttempt(pool, claimed, until))) throw new ClaimLostError();
  };
  const { accountId, format } = claimed;
  const data = readAccountData(sources, {
    accountId,
    createdAt: holder.createdAt,
    signal: stopping,
    beforePage: prolong,
  });
  const about = { exportId: claimed.id, accountId, format };
  const archive = packArchive(entriesOf(claimed, holder, data, store), about, claimed.createdAt);
  await store.put(objectKey, archive.body, { contentType: 'application/zip', signal: stopping });
  return { objectKey, ...archive.digest() };
}

async function* entriesOf(
  { format }: Export,
  holder: Account,
  data: AccountData,
  store: ObjectStore,
): AsyncGenerator<ArchiveEntry> {
  const encode = format === 'json' ? toJson : toCsv;
  for (const table of accountTables(holder, data)) {
    yield { path: `${table.name}.${format}`, content: encode(table) };
  }
  for await (const page of data.invoices()) {
    for (const { number, pdfObjectKey } of page) {
      yield { path: invoicePath(number), content: readObject(store, pdfObjectKey) };
    }
  }
}

/** Opened when it is read, so that nothing is left open that nobody reads. */
async function* readObject(store: ObjectStore, key: string): AsyncGenerator<Buffer> {
  const { body } = await store.get(key);
  yield* body;
}

/** False when the claim is lost. */
async function end(maker: ExportMaker, ended: Export, holder: Account | undefined): Promise<boolean> {
  const { pool, clock, wakeRelay, queueTask, linkTo } = maker;
  const isMine = await withTransaction(pool, async (client) => {
    if (!(await endExport(client, ended))) return false;
    const now = clock();
    const { file, expiresAt } = ended;
    const hasFile = file !== undefined && expiresAt !== undefined;
    const message = hasFile
      ? messages.exportReady(linkTo(file.objectKey, expiresAt), expiresAt)
      : messages.exportFailed();
    if (holder !== undefined) {
      await queueMail(client, holder, message, now);
      await queueTask(client, 'send-mails');
    }
    await appendToOutbox(client, [exportFinished(ended, now)]);
    return true;
  });
  wakeRelay();
  return isMine;
}

async function giveBack(maker: ExportMaker, claimed: Export, error: unknown): Promise<void> {
  const { pool, clock, log, stopping, findHolder, openStore } = maker;
  const { id: exportId, attempts } = claimed;
  if (error instanceof ClaimLostError) {
    log.info({ exportId, attempts }, 'an export is no longer this one to make');
    return;
  }
  const now = clock();
  if (stopping.aborted) {
    await planAttempt(pool, claimed, now, { countThisOne: false });
    return;
  }
  log.warn({ exportId, attempts, err: error }, `an export could not be made: ${messageOf(error)}`);
  const nextAt = nextAttemptAt(claimed, now);
  if (nextAt !== undefined) {
    await planAttempt(pool, claimed, nextAt);
    return;
  }
  // Attempts that were cut off may have left files; a store that is away keeps them until the account goes.
  const leftovers = openStore().then((store) => store.deletePrefix(objectPrefixOf(claimed)));
  await leftovers.catch((reason: unknown) =>
    log.warn({ exportId, err: reason }, 'files of an export stay behind'),
  );
  await end(maker, failExport(claimed), await findHolder(claimed.accountId));
}

/** Another attempt has begun, or there is no such export any more. */
class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}
