/**
 * Makes exports: claims one that is due, streams its data into a zip in the object store, and announces it.
 *
 * A claim lasts CLAIM_MS and is extended before each page. Failure modes:
 * - A process dies: its claim expires, and the export starts again.
 * - A service or the store is down: the attempt fails, and the next one follows after a growing pause.
 * - The claim is lost, or the account purged: the next page or the end notices, and the attempt deletes its file.
 * - A process stops: it releases the export, and the attempt does not count.
 * Readers only see complete files.
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
import { claimDueExport, endExport, planAttempt } from '../store/exports.ts';
import { listPresets } from '../store/presets.ts';
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
import { toCsv, toJson } from './table.ts';

interface ExportMaker extends AccountDependencies {
  readonly sources: DataSources;
  readonly openStore: () => Promise<ObjectStore>;
  /** Scheme, host and port of the public API. */
  readonly log: Logger;
  /** Releases the export in progress. */
  readonly stopping: AbortSignal;
}

/** Longer than reading one page can take. */
const CLAIM_MS = 2 * 60_000;

/** Makes all due exports, one after another. */
export async function makeDueExports(maker: ExportMaker): Promise<void> {
  const { pool, clock, stopping } = maker;
  while (!stopping.aborted) {
    const now = clock();
    const claimed = await claimDueExport(pool, now, new Date(now.getTime() + CLAIM_MS));
    if (claimed === undefined) return;
    await make(maker, claimed).catch((error: unknown) => handleFailure(maker, claimed, error));
  }
}

async function make(maker: ExportMaker, claimed: Export): Promise<void> {
  const { clock, findHolder, openStore } = maker;
  if (isOutOfAttempts(claimed)) throw new Error('all earlier attempts were cut off');
  const holder = await findHolder(claimed.accountId);
  if (holder === undefined) throw new Error('the account is unknown');
  const store = await openStore();
  try {
    const file = await write(maker, { claimed, holder, store });
    const isMine = await end(maker, completeExport(claimed, file, clock()), holder);
    if (!isMine) throw new ClaimLostError();
  } catch (error) {
    await store.delete([objectKeyOf(claimed)]).catch(() => undefined);
    throw error;
  }
}

interface Attempt {
  readonly claimed: Export;
  readonly holder: Account;
  readonly store: ObjectStore;
}

async function write({ pool, clock, sources, stopping }: ExportMaker, attempt: Attempt): Promise<ExportFile> {
  const { claimed, holder, store } = attempt;
  const prolong = async () => {
    stopping.throwIfAborted();
    const until = new Date(clock().getTime() + CLAIM_MS);
    if (!(await planAttempt(pool, claimed, until))) throw new ClaimLostError();
  };
  const { accountId, format } = claimed;
  const others = readAccountData(sources, {
    accountId,
    createdAt: holder.createdAt,
    signal: stopping,
    beforePage: prolong,
  });
  const data = {
    ...others,
    async *presets() {
      yield await listPresets(pool, accountId);
    },
  };
  const about = { exportId: claimed.id, accountId, format };
  const archive = packArchive(entriesOf(attempt, data), about, claimed.createdAt);
  const objectKey = objectKeyOf(claimed);
  await store.put(objectKey, archive.body, { contentType: 'application/zip', signal: stopping });
  return { objectKey, ...archive.digest() };
}

async function* entriesOf(
  { claimed: { format }, holder, store }: Attempt,
  data: AccountData,
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

/** Opens the object only when it is read, so that an unread entry leaves no open stream. */
async function* readObject(store: ObjectStore, key: string): AsyncGenerator<Buffer> {
  const { body } = await store.get(key);
  yield* body;
}

/** Returns false if the claim is lost. */
async function end(maker: ExportMaker, ended: Export, holder: Account | undefined): Promise<boolean> {
  const { pool, clock, wakeRelay, queueMail } = maker;
  const isMine = await withTransaction(pool, async (client) => {
    if (!(await endExport(client, ended))) return false;
    const now = clock();
    const { expiresAt } = ended;
    const message = expiresAt === undefined ? messages.exportFailed() : messages.exportReady(expiresAt);
    if (holder !== undefined) await queueMail(client, holder, message, now);
    await appendToOutbox(client, [exportFinished(ended, now)]);
    return true;
  });
  wakeRelay();
  return isMine;
}

async function handleFailure(maker: ExportMaker, claimed: Export, error: unknown): Promise<void> {
  const { pool, clock, log, stopping, findHolder, openStore } = maker;
  const { id: exportId, attempts } = claimed;
  if (error instanceof ClaimLostError) {
    log.info({ exportId, attempts }, 'the claim on an export was lost');
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
  // Attempts that were cut off may have left files. If the store is down they stay until the account is purged.
  const leftovers = openStore().then((store) => store.deletePrefix(objectPrefixOf(claimed)));
  await leftovers.catch((reason: unknown) =>
    log.warn({ exportId, err: reason }, 'files of a failed export could not be deleted'),
  );
  await end(maker, failExport(claimed), await findHolder(claimed.accountId));
}

/** Another attempt has started, or the export no longer exists. */
class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}
