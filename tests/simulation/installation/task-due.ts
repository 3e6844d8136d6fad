import { isFinal, type Tables } from '../database/watched-tables.ts';
import type { Installation } from './installation.ts';
import { SEGMENT_RETENTION_MS } from './processes.ts';

type IsDue = (installation: Installation) => boolean;

const hasPendingDelivery: IsDue = ({ tables }) =>
  tables.deliveries.values().some(({ status }) => status === 'pending');

const DUE: Readonly<Record<string, IsDue>> = {
  reap: ({ tables }) => !tables.jobs.values().every(isFinal),
  'sweep-objects': ({ tables, world }) =>
    tables.scheduledDeletions.values().some(({ deleteAfterMs }) => deleteAfterMs <= world.nowMs()),
  'expire-segments': ({ tables, world }) =>
    tables.jobs
      .values()
      .some(
        ({ completedAtMs, areSegmentsExpired }) =>
          completedAtMs !== null &&
          !areSegmentsExpired &&
          completedAtMs + SEGMENT_RETENTION_MS <= world.nowMs(),
      ),
  'sweep-uploads': ({ store }) => store.objects.keys().some((key) => key.startsWith('uploads/')),
  'advance-accounts': ({ tables, world }) => isAnyAccountDue(tables, world.nowMs()),
  'detach-payment-methods': ({ tables }) => tables.methodRemovals.size > 0,
  'forget-customers': ({ tables }) => tables.customerRemovals.size > 0,
  'draw-invoices': ({ tables }) =>
    tables.invoices.values().some(({ revision, drawnRevision }) => drawnRevision < revision),
  rescue: hasPendingDelivery,
  deliver: hasPendingDelivery,
};

/** False if a run of the task would find nothing to do. */
export function isTaskDue(installation: Installation, task: string): boolean {
  return DUE[task]?.(installation) ?? true;
}

function isAnyAccountDue({ charges, subscriptions, invoices }: Tables, nowMs: number): boolean {
  return (
    charges.values().some(({ state }) => state === 'pending') ||
    subscriptions.values().some(({ hasEnded, periodEndMs }) => !hasEnded && periodEndMs <= nowMs) ||
    invoices.values().some(({ nextChargeAtMs }) => nextChargeAtMs !== null && nextChargeAtMs <= nowMs)
  );
}
