import { useState } from 'preact/hooks';
import {
  formatBytes,
  formatDay,
  formatDays,
  formatFailed,
  formatMoney,
  plural,
} from '../../../src/format/format.ts';
import { Panel } from '../../../src/parts/panel.tsx';
import { Refunds } from '../../../src/parts/refunds.tsx';
import { StatusBadge } from '../../../src/parts/status-badge.tsx';
import type { Account, AccountInvoice } from '../../api.ts';
import { RefundDialog } from './refund-dialog.tsx';

interface MoneyPanelProps {
  readonly account: Account;
  readonly onActed: () => void;
}

/** What the account has used in the running period, and what it was billed. */
export function MoneyPanel({ account, onActed }: MoneyPanelProps) {
  const { period, usage, cost } = account.usage;
  const facts = [
    [
      'Minutes',
      `${usage.minutesProcessed.toLocaleString('en')} of ${usage.minutesIncluded.toLocaleString('en')}`,
    ],
    [
      'Beyond the plan',
      `${plural(usage.minutesOverage, 'minute')}, ${formatMoney(cost.overage, cost.currency)}`,
    ],
    ['Jobs', `${usage.jobsCompleted.toLocaleString('en')} completed, ${formatFailed(usage)}`],
    ['Stored now', formatBytes(usage.storageUsedBytes)],
    ['Cost so far', formatMoney(cost.total, cost.currency)],
  ] as const;
  return (
    <>
      <Panel title="Usage" lead={formatDays(period.start, period.end)}>
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Panel title="Invoices">
        {account.invoices.length === 0 ? (
          <p class="panel-empty">No invoice yet.</p>
        ) : (
          <ul class="rows">
            {account.invoices.map((invoice) => (
              <InvoiceRow
                key={invoice.id}
                invoice={invoice}
                accountId={account.accountId}
                onRefunded={onActed}
              />
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}

interface InvoiceRowProps {
  readonly invoice: AccountInvoice;
  readonly accountId: string;
  readonly onRefunded: () => void;
}

function InvoiceRow({ invoice, accountId, onRefunded }: InvoiceRowProps) {
  const { number, status, amount, amountRefunded, currency, paidAt, periodStart, lines, refunds } = invoice;
  const [isAsking, setAsking] = useState(false);
  return (
    <li class="rows-row">
      <div class="rows-what">
        <strong class="number">{number}</strong>
        <span class="row-sub">{formatDay(paidAt ?? periodStart)}</span>
        {lines.map(({ description }, n) => (
          <span key={n} class="row-sub">
            {description}
          </span>
        ))}
        <Refunds refunds={refunds} />
      </div>
      <StatusBadge status={status} />
      <strong class="number">{formatMoney(amount, currency)}</strong>
      {status === 'paid' && amountRefunded < amount && (
        <button
          type="button"
          class="button button-danger-quiet"
          aria-label={`Refund ${number}`}
          onClick={() => setAsking(true)}
        >
          Refund
        </button>
      )}
      {isAsking && (
        <RefundDialog
          invoice={invoice}
          accountId={accountId}
          onRefunded={onRefunded}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
