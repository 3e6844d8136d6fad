import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/field.tsx';

/** Stripe's test cards, for the sandbox. */
const TEST_CARDS = [
  { token: 'tok_visa', label: 'Visa 4242', note: 'pays' },
  { token: 'tok_mastercard', label: 'Mastercard 4444', note: 'pays' },
  { token: 'tok_chargeCustomerFail', label: 'Visa 0341', note: 'goes on file, fails when charged' },
  { token: 'tok_chargeDeclined', label: 'Visa 0002', note: 'is refused at once' },
];

interface CardDialogProps {
  readonly isSandbox: boolean;
  readonly lead?: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Adds a card. Its number is sent to the payment provider only; the gateway gets a token. */
export function CardDialog({ isSandbox, lead, onClose, onDone }: CardDialogProps) {
  const [token, setToken] = useState(isSandbox ? 'tok_visa' : '');
  return (
    <Confirm
      title="Put a card on file"
      action="Use this card"
      isReady={token !== ''}
      onClose={onClose}
      onConfirm={async () => {
        await api.billing.setPaymentMethod.mutate({ token });
        onDone();
      }}
    >
      {lead !== undefined && <p>{lead}</p>}
      {isSandbox ? (
        <fieldset class="choices">
          <legend>A test card: this installation moves no money</legend>
          {TEST_CARDS.map((card) => (
            <label key={card.token} class="choice">
              <input
                type="radio"
                name="card"
                checked={token === card.token}
                onChange={() => setToken(card.token)}
              />
              <span>
                {card.label} <span class="hint">{card.note}</span>
              </span>
            </label>
          ))}
        </fieldset>
      ) : (
        <Field
          label="Token of the card"
          hint="As your payment provider gives it, such as pm_… of Stripe. Card numbers are never entered here."
        >
          {(ids) => (
            <input
              {...ids}
              required
              maxLength={255}
              autocomplete="off"
              spellcheck={false}
              value={token}
              onInput={(event) => setToken(event.currentTarget.value.trim())}
            />
          )}
        </Field>
      )}
      <Curl
        calls={[
          { method: 'PUT', path: '/api/v1/billing/payment-method', credential: 'token', body: { token } },
        ]}
      />
    </Confirm>
  );
}
