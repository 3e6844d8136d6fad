import type { BillingInfo, Plan } from '../../api/client.ts';
import { formatBytes, formatMoney, formatRate } from '../../format/format.ts';

interface PlanGridProps {
  readonly plans: readonly Plan[];
  readonly info: BillingInfo;
  readonly onChoose: (plan: Plan) => void;
  readonly onCancel: () => void;
}

export function PlanGrid({ plans, info, onChoose, onCancel }: PlanGridProps) {
  const currentPrice = plans.find(({ id }) => id === info.plan.id)?.pricePerMonth ?? 0;
  return (
    <section aria-labelledby="plans-title">
      <h2 id="plans-title" class="section-title">
        Plans
      </h2>
      <ul class="plans">
        {plans.map((plan) => {
          const isFree = plan.pricePerMonth === 0;
          const isCurrent = plan.id === info.plan.id;
          const isNext =
            plan.id === info.scheduledPlanId || (isFree && info.subscription?.cancelAtPeriodEnd === true);
          return (
            <li key={plan.id} class={isCurrent ? 'card plan-card plan-card-current' : 'card plan-card'}>
              <h3>{plan.name}</h3>
              <p class="plan-price">
                {formatMoney(plan.pricePerMonth, plan.currency)}
                <small> a month</small>
              </p>
              <ul class="plan-points">
                {pointsOf(plan).map((point) => (
                  <li key={point}>{point}</li>
                ))}
              </ul>
              {isCurrent || isNext ? (
                <p class="plan-mark">{isCurrent ? 'Your plan' : 'From the next period'}</p>
              ) : (
                <button
                  type="button"
                  class={plan.pricePerMonth > currentPrice ? 'button button-primary' : 'button'}
                  onClick={() => (isFree ? onCancel() : onChoose(plan))}
                >
                  {plan.pricePerMonth > currentPrice ? `Upgrade to ${plan.name}` : `Move to ${plan.name}`}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function pointsOf(plan: Plan): string[] {
  const { monthlyMinutes, overageMillicentsPerMinute, requestsPerMinute, concurrentJobs } = plan;
  return [
    `${monthlyMinutes.toLocaleString('en')} minutes of audio`,
    overageMillicentsPerMinute === null
      ? 'no minutes beyond'
      : `then ${formatRate(overageMillicentsPerMinute, plan.currency)} a minute`,
    `${concurrentJobs} jobs at a time`,
    `files up to ${formatBytes(plan.maxFileSize)}`,
    `segments of a job up to ${formatBytes(plan.maxOutputBytes)} together`,
    `${requestsPerMinute.toLocaleString('en')} requests a minute`,
  ];
}
