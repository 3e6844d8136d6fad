import { formatDay, formatMoney } from '../format/format.ts';

interface ShownRefund {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly createdAt: string;
}

const WORDS = { pending: 'being refunded', succeeded: 'refunded', failed: 'could not be refunded' } as const;

/** What was given back of an invoice. */
export function Refunds({ refunds }: { readonly refunds: readonly ShownRefund[] }) {
  return (
    <>
      {refunds.map(({ id, amount, currency, reason, status, createdAt }) => (
        <span key={id} class={status === 'failed' ? 'row-sub is-bad' : 'row-sub'}>
          <strong class="number">{formatMoney(amount, currency)}</strong> {WORDS[status]},{' '}
          {formatDay(createdAt)}: {reason}
        </span>
      ))}
    </>
  );
}
