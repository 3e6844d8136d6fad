import type { ListedJob } from '../api/client.ts';

const LABELS: Record<ListedJob['status'], string> = {
  queued: 'Queued',
  processing: 'Processing',
  completed: 'Completed',
  failed: 'Failed',
};

export function StatusBadge({ status }: { readonly status: ListedJob['status'] }) {
  return <span class={`badge badge-${status}`}>{LABELS[status]}</span>;
}
