import { useState } from 'preact/hooks';
import { api, type BillingInfo } from '../../api/client.ts';
import { capitalized } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Panel } from '../../parts/panel.tsx';

interface CardPanelProps {
  readonly info: BillingInfo;
  readonly onReplace: () => void;
  readonly onRemoved: () => void;
}

export function CardPanel({ info, onReplace, onRemoved }: CardPanelProps) {
  const [isRemoving, setRemoving] = useState(false);
  const { paymentMethod: method, subscription } = info;
  return (
    <Panel
      title="Payment method"
      actions={
        <>
          <button type="button" class="button" onClick={onReplace}>
            {method === null ? 'Add a card' : 'Use another card'}
          </button>
          {method !== null && subscription === null && (
            <button type="button" class="button button-danger-quiet" onClick={() => setRemoving(true)}>
              <Icon name="trash" size={16} /> Remove
            </button>
          )}
        </>
      }
    >
      {method === null ? (
        <p class="panel-empty">No card is saved. The Free plan needs none.</p>
      ) : (
        <p class="payment-card">
          <span class="payment-brand">{capitalized(method.brand)}</span>
          <span class="number">
            <span aria-hidden="true">•••• </span>
            <span class="visually-hidden">ending in </span>
            {method.last4}
          </span>
          <span class="hint number">
            until {String(method.expiresMonth).padStart(2, '0')}/{method.expiresYear}
          </span>
        </p>
      )}
      {isRemoving && (
        <Confirm
          title="Remove the card?"
          action="Remove the card"
          isDangerous
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.billing.removePaymentMethod.mutate();
            setRemoving(false);
            onRemoved();
          }}
        >
          <p>The payment provider removes it as well. What is still due is charged first.</p>
          <Curl calls={[{ method: 'DELETE', path: '/api/v1/billing/payment-method', credential: 'token' }]} />
        </Confirm>
      )}
    </Panel>
  );
}
