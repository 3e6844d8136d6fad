const LOOKS = {
  queued: { label: 'Queued', tone: 'plain' },
  processing: { label: 'Processing', tone: 'busy' },
  completed: { label: 'Completed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  expired: { label: 'Expired', tone: 'plain' },
} as const;

export type Status = keyof typeof LOOKS;

export function StatusBadge({ status }: { readonly status: Status }) {
  const { label, tone } = LOOKS[status];
  return <span class={`badge badge-${tone}`}>{label}</span>;
}
