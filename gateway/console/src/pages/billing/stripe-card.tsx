import { useEffect, useRef, useState } from 'preact/hooks';
import { ShownError } from '../../api/failure.ts';
import { loadStripe, type Stripe, type StripeElement } from '../../state/stripe.ts';

/** Gives the id of a payment method for what has been entered. Throws ShownError. */
export type TakeCard = () => Promise<string>;

/** Card data is entered in a frame of Stripe's; this page never has it. */
export function StripeCard({ onReady }: { readonly onReady: (takeCard: TakeCard) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  useEffect(() => {
    let element: StripeElement | undefined;
    let isGone = false;
    loadStripe().then(
      (stripe) => {
        const { current } = place;
        if (isGone || current === null) return;
        element = stripe.elements().create('card', { style: { base: styleOf(current) } });
        element.on('loaderror', () => setState('failed'));
        element.on('ready', () => setState('ready'));
        element.mount(current);
        const card = element;
        onReady(() => takeCard(stripe, card));
      },
      () => !isGone && setState('failed'),
    );
    return () => {
      isGone = true;
      element?.destroy();
    };
  }, []);
  return (
    <div class="field">
      <span class="label">Card</span>
      <div class="stripe-card" ref={place} />
      {state === 'loading' && (
        <p class="hint" role="status">
          Loading Stripe's form …
        </p>
      )}
      {state === 'failed' && (
        <p class="problem" role="alert">
          Stripe's form cannot be loaded. Allow js.stripe.com in your browser, then open this again.
        </p>
      )}
      <p class="hint">
        Stripe takes the card's number; it never comes here. Charges happen while you are away, so a card
        whose bank wants every payment confirmed (3-D Secure) is declined when it is charged: use another one
        then.
      </p>
    </div>
  );
}

async function takeCard(stripe: Stripe, card: StripeElement): Promise<string> {
  const { paymentMethod, error } = await stripe.createPaymentMethod({ type: 'card', card });
  if (paymentMethod !== undefined) return paymentMethod.id;
  throw new ShownError('PAYMENT_FAILED', error?.message ?? 'Stripe did not take the card.');
}

/** The frame does not inherit the page's colours. */
function styleOf(place: HTMLElement) {
  const { color, fontSize, fontFamily } = getComputedStyle(place);
  return { color, iconColor: color, fontSize, fontFamily };
}
