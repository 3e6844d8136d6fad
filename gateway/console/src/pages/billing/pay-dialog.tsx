import { useState } from 'preact/hooks';
import { api, type BillingInfo, failureOf, type Invoice } from '../../api/client.ts';
import { capitalized, formatMoney } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';

interface PayDialogProps {
  readonly invoice: Invoice;
  readonly card: NonNullable<BillingInfo['paymentMethod']>;
  readonly onClose: () => void;
  readonly onDone: (message: string) => void;
}

/** What to do after a refusal, beside its message. */
const REMEDIES: Readonly<Record<string, string>> = {
  PAYMENT_FAILED:
    'Put another card on file under Payment method, then pay again. The invoice stays as it is.',
  PAYMENT_METHOD_REQUIRED: 'Add a card under Payment method, then pay again.',
  INVOICE_ALREADY_PAID: 'It has been paid in the meantime. Close this dialog: the list shows it.',
  INVOICE_NOT_PAYABLE: 'There is nothing left to do.',
};

export function PayDialog({ invoice, card, onClose, onDone }: PayDialogProps) {
  const { id, number, amount, currency } = invoice;
  const [remedy, setRemedy] = useState<string>();
  const due = formatMoney(amount, currency);
  const pay = async () => {
    setRemedy(undefined);
    try {
      await api.billing.payInvoice.mutate({ invoiceId: id });
    } catch (error) {
      setRemedy(REMEDIES[failureOf(error).code]);
      throw error;
    }
    onDone(`${number} is paid.`);
  };
  return (
    <Confirm title={`Pay ${number}`} action={`Pay ${due}`} onClose={onClose} onConfirm={pay}>
      <p>
        {due} is charged to {capitalized(card.brand)} ending in {card.last4} now. Once no invoice is unpaid, a
        subscription that had stopped for it goes on.
      </p>
      {remedy !== undefined && <p class="hint">{remedy}</p>}
      <Curl calls={[{ method: 'POST', path: `/api/v1/billing/invoices/${id}/pay`, credential: 'token' }]} />
    </Confirm>
  );
}
