import { useState } from 'preact/hooks';
import { api, type Invoice } from '../../api/client.ts';
import { ownAddress } from '../../api/own-address.ts';
import { formatDay, formatMoney } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Icon } from '../../parts/icons.tsx';
import { FailureNotice, Skeleton } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Refunds } from '../../parts/refunds.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useQuery } from '../../state/query.ts';

const PAGE_SIZE = 10;

interface InvoicesProps {
  /** Grows when an invoice may be new or changed. */
  readonly version: number;
  readonly onPay: (invoice: Invoice) => void;
}

export function Invoices({ version, onPay }: InvoicesProps) {
  const [page, setPage] = useState(1);
  const query = { page, limit: PAGE_SIZE };
  const { data, failure, reload } = useQuery(`invoices ${page}`, () => api.billing.invoices.query(query), {
    version,
  });
  return (
    <Panel title="Invoices">
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={2} />
      ) : data.data.length === 0 ? (
        <p class="panel-empty">No invoice yet: nothing has been charged.</p>
      ) : (
        <ul class="rows">
          {data.data.map((invoice) => (
            <InvoiceRow key={invoice.id} invoice={invoice} onPay={onPay} />
          ))}
        </ul>
      )}
      {data !== undefined && <Pager pagination={data.pagination} noun="invoice" onTurn={setPage} />}
      <Curl
        calls={[{ path: `/api/v1/billing/invoices?page=${page}&limit=${PAGE_SIZE}`, credential: 'token' }]}
      />
    </Panel>
  );
}

function InvoiceRow({
  invoice,
  onPay,
}: {
  readonly invoice: Invoice;
  readonly onPay: InvoicesProps['onPay'];
}) {
  const {
    number,
    status,
    amount,
    currency,
    lines,
    paidAt,
    periodStart,
    pdfUrl,
    companyName,
    taxId,
    refunds,
  } = invoice;
  return (
    <li class="rows-row">
      <div class="rows-what">
        <strong class="number">{number}</strong>
        <span class="row-sub">{formatDay(paidAt ?? periodStart)}</span>
        {companyName !== null && (
          <span class="row-sub">
            billed to {companyName}
            {taxId !== null && `, ${taxId}`}
          </span>
        )}
        <ul class="invoice-lines">
          {lines.map((line, n) => (
            <li key={n}>
              <span>{line.description}</span>
              <span class="number">{formatMoney(line.amount, currency)}</span>
            </li>
          ))}
        </ul>
        <Refunds refunds={refunds} />
      </div>
      <StatusBadge status={status} />
      <strong class="invoice-amount number">{formatMoney(amount, currency)}</strong>
      {(status === 'open' || status === 'uncollectible') && (
        <button
          type="button"
          class="button button-primary"
          aria-label={`Pay ${number}`}
          onClick={() => onPay(invoice)}
        >
          Pay
        </button>
      )}
      <a class="button" href={ownAddress(pdfUrl)} download aria-label={`Download ${number} as PDF`}>
        <Icon name="download" size={16} /> PDF
      </a>
    </li>
  );
}
