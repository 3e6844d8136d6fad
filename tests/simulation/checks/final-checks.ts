/** The conditions that must hold once everything has ended. */
import { isDeepStrictEqual } from 'node:util';
import { invoiceObjectKey } from '@audiosplit/billing/invoices/invoice';
import { readAllSql, TABLE_NAMES, type Tables } from '../database/watched-tables.ts';
import type { Installation } from '../installation/installation.ts';
import { requireInvariant } from './invariant.ts';
import { isPurged, type Ledger } from './ledger.ts';

/** Every ended job has been counted and notified once. */
export function checkEnds({ jobs, usage, segments, deliveries }: Tables, ledger: Ledger): void {
  for (const jobId of ledger.completed.keys()) {
    if (isPurged(ledger, jobId)) continue;
    requireInvariant('every completed job is counted', usage.get(jobId)?.status === 'completed', jobId);
  }
  for (const job of jobs.values()) {
    requireInvariant('every job that has ended is counted', usage.get(job.id)?.status === job.status, job.id);
    if (job.webhookUrl === null) continue;
    const notified = [...deliveries.values()].filter(
      ({ jobId, type }) => jobId === job.id && type === `split.${job.status}`,
    );
    requireInvariant(
      'every end is notified once',
      notified.length === 1,
      () => `${job.id}: ${notified.length} notifications`,
    );
  }
  const stored = new Map<string, number>();
  for (const { jobId, sizeBytes } of segments.values())
    stored.set(jobId, (stored.get(jobId) ?? 0) + sizeBytes);
  for (const { jobId, storedBytes } of usage.values()) {
    requireInvariant(
      'stored bytes are counted',
      storedBytes === (stored.get(jobId) ?? 0),
      () => `${jobId}: ${storedBytes}`,
    );
  }
}

/** A purge leaves nothing, and objects without a row are deleted in the end. */
export function checkOrphans({ tables, store }: Installation, { purged }: Ledger): void {
  const named = new Set(tables.segments.values().map(({ objectKey }) => objectKey));
  for (const invoice of tables.invoices.values()) {
    for (let revision = 1; revision <= invoice.revision; revision++)
      named.add(invoiceObjectKey({ ...invoice, revision }));
  }
  const isUpload = (key: string) => key.startsWith('uploads/') && !purged.has(key.split('/')[1] ?? '');
  const orphans = [...store.objects.keys()].filter((key) => !named.has(key) && !isUpload(key));
  requireInvariant('nothing is stored that no row names', orphans.length === 0, () => orphans.join(', '));
  for (const name of TABLE_NAMES) {
    if (name === 'purgedAccounts') continue;
    for (const [key, row] of tables[name]) {
      const isGone = 'accountId' in row && purged.has(row.accountId);
      requireInvariant('a purge leaves nothing', !isGone, () => `${name} ${key}`);
    }
  }
}

/**
 * The money that has moved equals the sum of paid invoices, and every notification has reached its final
 * state.
 */
export function checkPayments(
  { tables, payments, store }: Installation,
  { chargedTo, purged }: Ledger,
): void {
  const { charges, invoices, deliveries } = tables;
  const charged = new Map<string, number>();
  for (const [id, cents] of payments.charged) {
    if (purged.has(chargedTo.get(id) ?? '')) continue;
    const charge = charges.get(id);
    requireInvariant('every charge is known', charge?.state === 'succeeded', () => `${id}: ${charge?.state}`);
    charged.set(charge.accountId, (charged.get(charge.accountId) ?? 0) + cents);
  }
  const paid = new Map<string, number>();
  for (const { accountId, status, amountCents } of invoices.values())
    if (status === 'paid') paid.set(accountId, (paid.get(accountId) ?? 0) + amountCents);
  for (const accountId of new Set([...charged.keys(), ...paid.keys()])) {
    requireInvariant(
      'what is charged is what is invoiced',
      charged.get(accountId) === paid.get(accountId),
      () => `${accountId}: ${charged.get(accountId)} charged, ${paid.get(accountId)} on paid invoices`,
    );
  }
  const removals = tables.methodRemovals.size + tables.customerRemovals.size;
  requireInvariant(
    'what is taken off the file leaves the provider',
    removals === 0,
    () => `${removals} are left`,
  );
  const undrawn = [...invoices.values()].filter(({ revision, drawnRevision }) => drawnRevision < revision);
  requireInvariant('every invoice is drawn', undrawn.length === 0, () =>
    undrawn.map(({ id }) => id).join(', '),
  );
  const uploads = [...store.objects.keys()].filter((key) => key.startsWith('uploads/'));
  requireInvariant('old uploads go', uploads.length === 0, () => uploads.join(', '));
  const pending = [...deliveries.values()].filter(({ status }) => status === 'pending');
  requireInvariant(
    'every notification finds its end',
    pending.length === 0,
    () => `${pending.length} are pending`,
  );
}

/** The rows that the triggers reported are the rows of the tables. */
export async function checkWatched({ tables, database, world }: Installation): Promise<void> {
  const { rows } = await world.track(database.observer.query<{ found: object }>(READ_ALL));
  const found = new Map(Object.entries(rows[0]?.found ?? {}));
  for (const name of TABLE_NAMES) {
    const reported = Object.fromEntries(tables[name]);
    requireInvariant(
      'the simulation knows the tables',
      isDeepStrictEqual(reported, found.get(name)),
      () => `${name}: ${JSON.stringify(reported)} but ${JSON.stringify(found.get(name))}`,
    );
  }
}

const READ_ALL = { name: 'read-all', text: readAllSql() };
