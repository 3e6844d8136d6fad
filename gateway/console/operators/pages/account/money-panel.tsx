import { formatBytes, formatDay, formatDays, formatMoney, plural } from '../../../src/format/format.ts';
import { Panel } from '../../../src/parts/panel.tsx';
import { StatusBadge } from '../../../src/parts/status-badge.tsx';
import type { Account } from '../../api.ts';

/** What the account has used in the running period, and what it was billed. */
export function MoneyPanel({ account }: { readonly account: Account }) {
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
    [
      'Jobs',
      `${usage.jobsCompleted.toLocaleString('en')} completed, ${usage.jobsFailed.toLocaleString('en')} failed`,
    ],
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
            {account.invoices.map(({ id, number, status, amount, currency, paidAt, periodStart, lines }) => (
              <li key={id} class="rows-row">
                <div class="rows-what">
                  <strong class="number">{number}</strong>
                  <span class="row-sub">{formatDay(paidAt ?? periodStart)}</span>
                  {lines.map((line, n) => (
                    <span key={n} class="row-sub">
                      {line}
                    </span>
                  ))}
                </div>
                <StatusBadge status={status} />
                <strong class="number">{formatMoney(amount, currency)}</strong>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}
