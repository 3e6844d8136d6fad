import { api, type BillingInfo } from '../../api/client.ts';
import { formatDay, formatMoney, formatRate } from '../../format/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { Link } from '../../parts/link.tsx';
import { useQuery } from '../../state/query.ts';
import { type UsageAlert, usageAlerts } from './usage-alerts.ts';

interface AlertNoticesProps {
  /** Grows when a limit may have changed. */
  readonly version?: number;
  /** On a page that has what to do about them. */
  readonly isOnBilling?: boolean;
}

/** Nothing where all is well below its limits. */
export function AlertNotices({ version = 0, isOnBilling = false }: AlertNoticesProps) {
  const billing = useQuery('billing', () => api.billing.get.query(), { version });
  const usage = useQuery('usage current', () => api.account.usage.query({ period: 'current' }), { version });
  if (billing.data === undefined || usage.data === undefined) return null;
  const info = billing.data;
  const end = usage.data.period.end;
  return (
    <>
      {usageAlerts(usage.data, info.spendLimit).map((alert) => (
        <div
          key={alert.metric}
          class={isRefusing(alert, info) ? 'notice notice-bad' : 'notice notice-wait'}
          role="status"
        >
          <Icon name="alert" />
          <p>{alert.metric === 'minutes' ? minutesWords(alert, info, end) : spendWords(alert, info, end)}</p>
          {!isOnBilling && isRefusing(alert, info) && (
            <Link class="button" to="/billing">
              {alert.metric === 'minutes' ? 'See the plans' : 'Change the limit'}
            </Link>
          )}
        </div>
      ))}
    </>
  );
}

/** Whether new jobs are refused. */
function isRefusing({ metric, percent }: UsageAlert, { plan }: BillingInfo): boolean {
  return percent === 100 && (metric === 'spend' || plan.overageMillicentsPerMinute === null);
}

function minutesWords({ percent, used, limit }: UsageAlert, { plan }: BillingInfo, end: string): string {
  const { overageMillicentsPerMinute: rate, currency } = plan;
  const all = limit.toLocaleString('en');
  if (percent === 80)
    return `${used.toLocaleString('en')} of ${all} included minutes are used. The next begin on ${formatDay(end)}.`;
  if (rate === null)
    return `All ${all} minutes are used. New jobs are refused until ${formatDay(end)}, or until you move to a larger plan.`;
  return `All ${all} included minutes are used. Until ${formatDay(end)} each further one costs ${formatRate(rate, currency)}.`;
}

function spendWords({ percent, used, limit }: UsageAlert, { plan }: BillingInfo, end: string): string {
  const all = formatMoney(limit, plan.currency);
  if (percent === 80)
    return `Minutes beyond the plan have cost ${formatMoney(used, plan.currency)} of your spend limit of ${all}.`;
  return `Your spend limit of ${all} is reached. New jobs are refused until ${formatDay(end)}, or until you raise it.`;
}
