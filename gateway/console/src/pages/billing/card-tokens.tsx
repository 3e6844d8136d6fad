import { Field } from '../../parts/field.tsx';

/** Stripe's test cards, for the sandbox. */
const TEST_CARDS = [
  { token: 'tok_visa', label: 'Visa 4242', note: 'pays' },
  { token: 'tok_mastercard', label: 'Mastercard 4444', note: 'pays' },
  { token: 'tok_chargeCustomerFail', label: 'Visa 0341', note: 'is saved, fails when charged' },
  { token: 'tok_chargeDeclined', label: 'Visa 0002', note: 'is refused at once' },
];

interface TestCardsProps {
  readonly token: string;
  readonly onChoose: (token: string) => void;
}

export function TestCards({ token, onChoose }: TestCardsProps) {
  return (
    <fieldset class="choices">
      <legend>A test card: this installation moves no money</legend>
      {TEST_CARDS.map((card) => (
        <label key={card.token} class="choice">
          <input
            type="radio"
            name="card"
            checked={token === card.token}
            onChange={() => onChoose(card.token)}
          />
          <span>
            {card.label} <span class="hint">{card.note}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface TokenFieldProps {
  readonly token: string;
  readonly onInput: (token: string) => void;
}

/** Where the gateway was not given Stripe's publishable key. */
export function TokenField({ token, onInput }: TokenFieldProps) {
  return (
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
          onInput={(event) => onInput(event.currentTarget.value.trim())}
        />
      )}
    </Field>
  );
}
