import { useState } from 'preact/hooks';
import { api, type BillingInfo } from '../../api/client.ts';
import { formatMoney } from '../../format/format.ts';
import { typedMoney } from '../../format/typed-money.ts';
import { Curl } from '../../parts/curl.tsx';
import { SettingForm } from '../../parts/entry/setting-form.tsx';
import { Field } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';

interface SpendLimitPanelProps {
  readonly limit: NonNullable<BillingInfo['spendLimit']>;
  readonly onSaved: (message: string) => void;
}

/** The form begins anew with each saved limit: its key is the amount. */
export function SpendLimitPanel({ limit, onSaved }: SpendLimitPanelProps) {
  const { amount, currency, spent } = limit;
  const [isLimited, setLimited] = useState(amount !== null);
  const [typed, setTyped] = useState(amount === null ? '' : (amount / 100).toFixed(2));
  const [isRefused, setRefused] = useState(false);
  const typedAmount = typedMoney(typed);
  const save = async () => {
    setRefused(isLimited && typedAmount === undefined);
    if (isLimited && typedAmount === undefined) return;
    const saved = await api.billing.setSpendLimit.mutate({ amount: isLimited ? (typedAmount ?? 0) : null });
    onSaved(saved.amount === null ? 'There is no spend limit now.' : 'The spend limit is set.');
  };
  return (
    <Panel
      title="Spend limit"
      lead="What minutes beyond the plan may cost in a period. At the limit new jobs are refused, and nothing more is charged."
    >
      <dl class="facts">
        <div>
          <dt>Limit</dt>
          <dd data-testid="spend-limit">{amount === null ? 'None' : formatMoney(amount, currency)}</dd>
        </div>
        <div>
          <dt>Spent this period</dt>
          <dd>{formatMoney(spent, currency)}</dd>
        </div>
      </dl>
      <SettingForm action="Set the limit" onSave={save}>
        {(problemOf) => (
          <>
            <fieldset class="choices">
              <legend>In each period</legend>
              <label class="choice">
                <input type="radio" name="limit" checked={isLimited} onChange={() => setLimited(true)} />
                <span>Stop at an amount</span>
              </label>
              <label class="choice">
                <input type="radio" name="limit" checked={!isLimited} onChange={() => setLimited(false)} />
                <span>
                  No limit <span class="hint">every minute beyond the plan is charged</span>
                </span>
              </label>
            </fieldset>
            {isLimited && (
              <Field
                label={`Amount in ${currency.toUpperCase()}`}
                hint="Until you set one it is ten times the plan's price. One that you set stays when you change the plan."
                problem={isRefused ? 'Give an amount such as 90 or 90.50.' : problemOf('amount')}
              >
                {(ids) => (
                  <input
                    {...ids}
                    required
                    inputMode="decimal"
                    autocomplete="off"
                    value={typed}
                    onInput={(event) => setTyped(event.currentTarget.value)}
                  />
                )}
              </Field>
            )}
          </>
        )}
      </SettingForm>
      <p class="hint">
        At 80 and at 100 percent of your minutes and of this limit you get a mail, and your webhook endpoint a{' '}
        <code class="code-tag">usage.threshold</code>.
      </p>
      <Curl
        calls={[
          { path: '/api/v1/billing/spend-limit', credential: 'token' },
          {
            method: 'PUT',
            path: '/api/v1/billing/spend-limit',
            credential: 'token',
            body: { amount: isLimited ? (typedAmount ?? amount) : null },
          },
        ]}
      />
    </Panel>
  );
}
