import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { hasStripe } from '../../state/stripe.ts';
import { TestCards, TokenField } from './card-tokens.tsx';
import { StripeCard, type TakeCard } from './stripe-card.tsx';

interface CardDialogProps {
  readonly isSandbox: boolean;
  readonly lead?: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Adds a card. Its number is sent to the payment provider only; the gateway gets a token. */
export function CardDialog({ isSandbox, lead, onClose, onDone }: CardDialogProps) {
  const [token, setToken] = useState(isSandbox ? 'tok_visa' : '');
  const [takeCard, setTakeCard] = useState<TakeCard>();
  const isStripe = !isSandbox && hasStripe;
  const confirm = async () => {
    await api.billing.setPaymentMethod.mutate({ token: takeCard === undefined ? token : await takeCard() });
    onDone();
  };
  return (
    <Confirm
      title="Add a card"
      action="Use this card"
      isReady={isStripe ? takeCard !== undefined : token !== ''}
      onClose={onClose}
      onConfirm={confirm}
    >
      {lead !== undefined && <p>{lead}</p>}
      {isSandbox && <TestCards token={token} onChoose={setToken} />}
      {isStripe && <StripeCard onReady={(take) => setTakeCard(() => take)} />}
      {!isSandbox && !isStripe && <TokenField token={token} onInput={setToken} />}
      <Curl
        calls={[
          {
            method: 'PUT',
            path: '/api/v1/billing/payment-method',
            credential: 'token',
            body: { token: isStripe ? 'pm_…' : token },
          },
        ]}
      />
    </Confirm>
  );
}
