/** What must hold once everything has come to its end. */
import type { Installation } from './installation.ts';
import { demand } from './invariants.ts';
import type { Ledger } from './ledger.ts';
import type { FinalState, Snapshot } from './snapshot.ts';

/** Every end of a job has been counted and told, once. */
export function checkTold(state: FinalState, snapshot: Snapshot | undefined, ledger: Ledger): void {
  const usage = new Map(snapshot?.usage.map((row) => [row.jobId, row]));
  for (const jobId of ledger.completed.keys()) {
    demand('every completed job is counted', usage.get(jobId)?.status === 'completed', () => jobId);
  }
  for (const job of snapshot?.jobs ?? []) {
    demand('every job that has ended is counted', usage.get(job.id)?.status === job.status, () => job.id);
    if (job.webhookUrl === null) continue;
    const told = state.deliveries.filter(
      ({ jobId, type }) => jobId === job.id && type === `split.${job.status}`,
    );
    demand('every end is notified once', told.length === 1, () => `${job.id}: ${told.length} notifications`);
  }
  const stored = new Map<string, number>();
  for (const { jobId, sizeBytes } of snapshot?.segments ?? [])
    stored.set(jobId, (stored.get(jobId) ?? 0) + sizeBytes);
  for (const { jobId, storedBytes } of snapshot?.usage ?? []) {
    demand(
      'stored bytes are counted',
      storedBytes === (stored.get(jobId) ?? 0),
      () => `${jobId}: ${storedBytes}`,
    );
  }
}

export function checkOrphans(snapshot: Snapshot, { store }: Installation): void {
  const named = new Set(snapshot.segments.map(({ objectKey }) => objectKey));
  const orphans = [...store.objects.keys()].filter((key) => !named.has(key));
  demand('nothing is stored that no row names', orphans.length === 0, () => orphans.join(', '));
}

/** The money that has moved is the money that paid invoices ask for, and every notification has found its end. */
export function checkPayments(state: FinalState, { payments }: Installation): void {
  const charged = new Map<string, number>();
  const charges = new Map(state.charges.map((charge) => [charge.id, charge]));
  for (const [id, cents] of payments.charged) {
    const charge = charges.get(id);
    demand('every charge is known', charge?.state === 'succeeded', () => `${id}: ${charge?.state}`);
    charged.set(charge.accountId, (charged.get(charge.accountId) ?? 0) + cents);
  }
  const paid = new Map(state.paidCents.map(({ accountId, cents }) => [accountId, cents]));
  for (const accountId of new Set([...charged.keys(), ...paid.keys()])) {
    demand(
      'what is charged is what is invoiced',
      charged.get(accountId) === paid.get(accountId),
      () => `${accountId}: ${charged.get(accountId)} charged, ${paid.get(accountId)} on paid invoices`,
    );
  }
  const pending = state.deliveries.filter(({ status }) => status === 'pending');
  demand('every notification finds its end', pending.length === 0, () => `${pending.length} are pending`);
}
