import { useState } from 'preact/hooks';
import { api, type BillingInfo, type Invoice, type Plan } from '../api/client.ts';
import { formatDay, formatDays, formatMoney } from '../format/format.ts';
import { Curl } from '../parts/curl.tsx';
import { Page } from '../parts/frame/page.tsx';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Panel } from '../parts/panel.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { announce } from '../state/announce.ts';
import { useQuery } from '../state/query.ts';
import { accountChanged } from '../state/session.ts';
import { AlertNotices } from './billing/alert-notices.tsx';
import { CancelDialog } from './billing/cancel-dialog.tsx';
import { CardDialog } from './billing/card-dialog.tsx';
import { CardPanel } from './billing/card-panel.tsx';
import { Invoices } from './billing/invoices.tsx';
import { PayDialog } from './billing/pay-dialog.tsx';
import { PlanDialog } from './billing/plan-dialog.tsx';
import { PlanGrid } from './billing/plan-grid.tsx';
import { ProfilePanel } from './billing/profile-panel.tsx';
import { SpendLimitPanel } from './billing/spend-limit-panel.tsx';

type Asking =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'pay'; readonly invoice: Invoice }
  | { readonly kind: 'card' }
  | { readonly kind: 'cancel' };

const LOOK_AGAIN_MS = 2_000;

export function BillingPage() {
  const info = useQuery('billing', () => api.billing.get.query(), {
    againAfterMs: ({ isChargePending }) => (isChargePending ? LOOK_AGAIN_MS : undefined),
  });
  const plans = useQuery('plans', () => api.billing.plans.query());
  const [asking, setAsking] = useState<Asking>();
  const [version, setVersion] = useState(0);
  const close = () => setAsking(undefined);
  const done = (message: string) => {
    close();
    announce(message);
    info.reload();
    setVersion(version + 1);
    accountChanged();
  };
  const failure = info.failure ?? plans.failure;
  const reload = () => {
    info.reload();
    plans.reload();
  };
  const { data } = info;
  return (
    <Page title="Billing" lead="What you pay for, with which card, and what you have paid.">
      {failure !== undefined && <FailureNotice failure={failure} onRetry={reload} />}
      {data === undefined || plans.data === undefined ? (
        failure === undefined && <Skeleton rows={5} />
      ) : (
        <>
          <AlertNotices version={version} isOnBilling />
          <CurrentPlan
            info={data}
            plans={plans.data}
            onCancel={() => setAsking({ kind: 'cancel' })}
            onResume={(plan) => setAsking({ kind: 'plan', plan })}
          />
          <PlanGrid
            plans={plans.data}
            info={data}
            onChoose={(plan) => setAsking({ kind: 'plan', plan })}
            onCancel={() => setAsking({ kind: 'cancel' })}
          />
          <CardPanel
            info={data}
            onReplace={() => setAsking({ kind: 'card' })}
            onRemoved={() => done('The card is removed.')}
          />
          {data.spendLimit !== null && (
            <SpendLimitPanel key={String(data.spendLimit.amount)} limit={data.spendLimit} onSaved={done} />
          )}
          <ProfilePanel key={JSON.stringify(data.profile)} profile={data.profile} onSaved={done} />
          <Invoices version={version} onPay={(invoice) => setAsking({ kind: 'pay', invoice })} />
          {asking?.kind === 'cancel' && <CancelDialog info={data} onClose={close} onDone={done} />}
          {asking?.kind === 'plan' &&
            (data.paymentMethod === null ? (
              <CardDialog
                isSandbox={data.isSandbox}
                lead={`${asking.plan.name} needs a card. Nothing is charged before you confirm the price.`}
                onClose={close}
                onDone={info.reload}
              />
            ) : (
              <PlanDialog plan={asking.plan} card={data.paymentMethod} onClose={close} onDone={done} />
            ))}
          {asking?.kind === 'pay' &&
            (data.paymentMethod === null ? (
              <CardDialog
                isSandbox={data.isSandbox}
                lead={`${asking.invoice.number} needs a card. Nothing is charged before you confirm.`}
                onClose={close}
                onDone={info.reload}
              />
            ) : (
              <PayDialog invoice={asking.invoice} card={data.paymentMethod} onClose={close} onDone={done} />
            ))}
          {asking?.kind === 'card' && (
            <CardDialog
              isSandbox={data.isSandbox}
              onClose={close}
              onDone={() => done('The card is saved.')}
            />
          )}
        </>
      )}
    </Page>
  );
}

interface CurrentPlanProps {
  readonly info: BillingInfo;
  readonly plans: readonly Plan[];
  readonly onCancel: () => void;
  readonly onResume: (plan: Plan) => void;
}

function CurrentPlan({ info, plans, onCancel, onResume }: CurrentPlanProps) {
  const { plan, subscription, scheduledPlanId } = info;
  const current = plans.find(({ id }) => id === plan.id);
  const isChanging = scheduledPlanId !== undefined || subscription?.cancelAtPeriodEnd === true;
  return (
    <Panel
      title={`You are on ${plan.name}`}
      lead={nextChangeOf(info, plans)}
      actions={
        subscription !== null && (
          <>
            {isChanging && current !== undefined && (
              <button type="button" class="button button-primary" onClick={() => onResume(current)}>
                Stay on {plan.name}
              </button>
            )}
            <button type="button" class="button button-danger-quiet" onClick={onCancel}>
              {subscription.cancelAtPeriodEnd ? 'End it now' : 'Cancel the subscription'}
            </button>
          </>
        )
      }
    >
      {info.isChargePending && (
        <p class="panel-note" role="status">
          A payment is in progress. This page shows its result as soon as it is through.
        </p>
      )}
      {subscription?.status === 'past_due' && (
        <p class="panel-note">
          The last payment failed. It is tried again over the next days, and at once with another card; until
          then nothing changes for you.
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Price</dt>
          <dd>{formatMoney(plan.pricePerMonth, plan.currency)} a month</dd>
        </div>
        <div>
          <dt>Minutes of audio</dt>
          <dd>{plan.monthlyMinutes.toLocaleString('en')} a month</dd>
        </div>
        {subscription !== null && (
          <>
            <div>
              <dt>This period</dt>
              <dd>{formatDays(subscription.currentPeriodStart, subscription.currentPeriodEnd)}</dd>
            </div>
            <div>
              <dt>Subscription</dt>
              <dd>
                <StatusBadge status={subscription.status} />
              </dd>
            </div>
          </>
        )}
      </dl>
      <Curl calls={[{ path: '/api/v1/billing', credential: 'token' }]} />
    </Panel>
  );
}

function nextChangeOf({ plan, subscription, scheduledPlanId }: BillingInfo, plans: readonly Plan[]): string {
  if (subscription === null) return 'No card needed. A larger plan takes effect as soon as it is paid.';
  const day = formatDay(subscription.currentPeriodEnd);
  if (subscription.cancelAtPeriodEnd)
    return `It ends on ${day}, and Free begins. Until then nothing changes.`;
  const next = plans.find(({ id }) => id === scheduledPlanId);
  if (next !== undefined) return `On ${day} you move to ${next.name}. Until then nothing changes.`;
  return `Renewed on ${day} for ${formatMoney(plan.pricePerMonth, plan.currency)}, with what was used beyond it.`;
}
