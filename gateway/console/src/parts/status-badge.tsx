const BADGES = {
  queued: { label: 'Queued', tone: 'plain' },
  processing: { label: 'Processing', tone: 'busy' },
  completed: { label: 'Completed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  canceledJob: { label: 'Canceled', tone: 'plain' },
  expired: { label: 'Expired', tone: 'plain' },
  pending: { label: 'Pending', tone: 'busy' },
  delivered: { label: 'Delivered', tone: 'good' },
  active: { label: 'Active', tone: 'good' },
  past_due: { label: 'Payment failed', tone: 'bad' },
  incomplete: { label: 'Incomplete', tone: 'plain' },
  unpaid: { label: 'Unpaid', tone: 'bad' },
  canceled: { label: 'Ended', tone: 'plain' },
  paid: { label: 'Paid', tone: 'good' },
  open: { label: 'Open', tone: 'busy' },
  draft: { label: 'Draft', tone: 'plain' },
  uncollectible: { label: 'Not collected', tone: 'bad' },
  void: { label: 'Void', tone: 'plain' },
} as const;

export type Status = keyof typeof BADGES;

export function StatusBadge({ status }: { readonly status: Status }) {
  const { label, tone } = BADGES[status];
  return <span class={`badge badge-${tone}`}>{label}</span>;
}
