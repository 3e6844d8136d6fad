import { useState } from 'preact/hooks';
import {
  api,
  type BillingInfo,
  failureOf,
  type PaidPlanId,
  type Plan,
  type PlanPreview,
} from '../../api/client.ts';
import { capitalized, formatDay, formatMoney } from '../../format/format.ts';
import { Curl } from '../../parts/curl.tsx';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { FailureNotice, Skeleton } from '../../parts/notices.tsx';
import { useQuery } from '../../state/query.ts';

interface PlanDialogProps {
  /** A paid plan. */
  readonly plan: Plan;
  readonly card: NonNullable<BillingInfo['paymentMethod']>;
  readonly onClose: () => void;
  readonly onDone: (message: string) => void;
}

/** Shows a plan's price before anything is charged. */
export function PlanDialog({ plan, card, onClose, onDone }: PlanDialogProps) {
  const planId = plan.id as PaidPlanId;
  // A cached price is not shown.
  const [openedAt] = useState(Date.now);
  const { data, failure, reload } = useQuery(`preview ${planId} ${openedAt}`, () =>
    api.billing.preview.query({ planId }),
  );
  const isNew = data?.kind === 'subscribe';
  const confirm = async () => {
    if (data === undefined) return;
    const agreed = { planId, maxAmount: data.amountDue };
    try {
      if (isNew) await api.billing.subscribe.mutate(agreed);
      else await api.billing.changePlan.mutate(agreed);
    } catch (error) {
      // Shows the new price, to be confirmed again.
      if (failureOf(error).code === 'PRICE_CHANGED') reload();
      throw error;
    }
    onDone(
      data.kind === 'downgrade' ? `${plan.name} begins with the next period.` : `You are on ${plan.name}.`,
    );
  };
  return (
    <Confirm
      title={titleOf(plan, data)}
      action={actionOf(plan, data)}
      isReady={data !== undefined}
      onClose={onClose}
      onConfirm={confirm}
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined ? (
        failure === undefined && <Skeleton rows={2} />
      ) : (
        <Quote preview={data} card={card} />
      )}
      <Curl
        calls={[
          {
            method: 'POST',
            path: `/api/v1/billing/${isNew ? 'subscribe' : 'change-plan'}`,
            credential: 'token',
            body: { planId },
          },
        ]}
      />
    </Confirm>
  );
}

function Quote({ preview, card }: { readonly preview: PlanPreview; readonly card: PlanDialogProps['card'] }) {
  const { kind, amountDue, overageDue, currency, description } = preview;
  const { effectiveAt, pricePerMonth, nextChargeAt } = preview;
  const monthly = formatMoney(pricePerMonth, currency);
  return (
    <>
      <dl class="quote">
        <div>
          <dt>{description}</dt>
          <dd>{formatMoney(amountDue - overageDue, currency)}</dd>
        </div>
        {overageDue > 0 && (
          <div>
            <dt>Minutes used beyond the plan so far</dt>
            <dd data-testid="overage-due">{formatMoney(overageDue, currency)}</dd>
          </div>
        )}
        <div class="quote-total">
          <dt>
            Charged now
            {amountDue > 0 && (
              <small>
                {' '}
                to {capitalized(card.brand)} ending in {card.last4}
              </small>
            )}
          </dt>
          <dd data-testid="amount-due">{formatMoney(amountDue, currency)}</dd>
        </div>
        <div>
          <dt>From {formatDay(nextChargeAt)} on, every month</dt>
          <dd>{monthly}</dd>
        </div>
      </dl>
      <p class="hint">
        {kind === 'downgrade' &&
          `Nothing changes before ${formatDay(effectiveAt)}; until then you can take it back.`}
        {kind === 'upgrade' &&
          'The rest of the period is calculated to the second, so the price falls a little while you wait. The plan takes effect as soon as it is paid.'}
        {kind === 'subscribe' && 'It takes effect as soon as it is paid. You can cancel at any time.'}
        {kind === 'resume' && 'What was scheduled is taken back, and nothing is charged for it.'}
      </p>
    </>
  );
}

const TITLES: Record<PlanPreview['kind'], string> = {
  subscribe: 'Subscribe to',
  upgrade: 'Upgrade to',
  downgrade: 'Move to',
  resume: 'Stay on',
};

function titleOf({ name }: Plan, preview: PlanPreview | undefined): string {
  return preview === undefined ? name : `${TITLES[preview.kind]} ${name}`;
}

function actionOf(plan: Plan, preview: PlanPreview | undefined): string {
  if (preview === undefined || preview.amountDue === 0) return titleOf(plan, preview);
  return `Pay ${formatMoney(preview.amountDue, preview.currency)}`;
}
