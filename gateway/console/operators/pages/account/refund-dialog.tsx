import { useState } from 'preact/hooks';
import { failureOf } from '../../../src/api/failure.ts';
import { formatMoney } from '../../../src/format/format.ts';
import { typedMoney } from '../../../src/format/typed-money.ts';
import { Field } from '../../../src/parts/field.tsx';
import { announce } from '../../../src/state/announce.ts';
import { ActDialog } from '../../act-dialog.tsx';
import { type AccountInvoice, api } from '../../api.ts';

interface RefundDialogProps {
  readonly accountId: string;
  readonly invoice: AccountInvoice;
  readonly onRefunded: () => void;
  readonly onClose: () => void;
}

/** Of a paid invoice, of which something is left. */
export function RefundDialog({ accountId, invoice, onRefunded, onClose }: RefundDialogProps) {
  const { id: invoiceId, number, amount, amountRefunded, currency } = invoice;
  const left = amount - amountRefunded;
  // One for all tries until the provider refuses, so that a repeat refunds nothing twice.
  const [requestKey, setRequestKey] = useState(() => crypto.randomUUID());
  const [typed, setTyped] = useState((left / 100).toFixed(2));
  const cents = typedMoney(typed);
  const isGood = cents !== undefined && cents >= 1 && cents <= left;
  const refund = async (reason: string) => {
    if (cents === undefined) return;
    const order = { accountId, invoiceId, amount: cents, reason, requestKey };
    const { status } = await api.accounts.refund.mutate(order).catch((error: unknown) => {
      if (failureOf(error).code === 'PAYMENT_FAILED') setRequestKey(crypto.randomUUID());
      throw error;
    });
    onClose();
    announce(
      status === 'pending' ? 'The refund is pending.' : `${formatMoney(cents, currency)} are refunded.`,
    );
    onRefunded();
  };
  return (
    <ActDialog
      title={`Refund ${number}?`}
      action={isGood ? `Refund ${formatMoney(cents, currency)}` : 'Refund'}
      isDangerous
      isMailed
      isReady={isGood}
      onAct={refund}
      onClose={onClose}
    >
      <p>
        It goes back to the card that has paid the invoice, which stays paid. {formatMoney(left, currency)} of{' '}
        {formatMoney(amount, currency)} can be refunded.
      </p>
      <Field
        label={`Amount in ${currency.toUpperCase()}`}
        problem={isGood ? undefined : `Give from 0.01 to ${(left / 100).toFixed(2)}.`}
      >
        {(ids) => (
          <input
            {...ids}
            inputMode="decimal"
            autocomplete="off"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value.trim())}
          />
        )}
      </Field>
    </ActDialog>
  );
}
