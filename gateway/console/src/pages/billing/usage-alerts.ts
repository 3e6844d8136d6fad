/** What has reached 80 or 100 percent in the running period, as the service mails it and sends it to the endpoint. */
import type { BillingInfo, UsageReport } from '../../api/client.ts';

export interface UsageAlert {
  readonly metric: 'minutes' | 'spend';
  readonly percent: 80 | 100;
  readonly used: number;
  readonly limit: number;
}

export function usageAlerts(
  { usage }: Pick<UsageReport, 'usage'>,
  spendLimit: BillingInfo['spendLimit'],
): UsageAlert[] {
  const { minutesProcessed, minutesIncluded, minutesOverage } = usage;
  const alerts = [alertOf('minutes', minutesProcessed - minutesOverage, minutesIncluded)];
  if (spendLimit !== null && spendLimit.amount !== null)
    alerts.push(alertOf('spend', spendLimit.spent, spendLimit.amount));
  return alerts.filter((alert) => alert !== undefined);
}

function alertOf(metric: UsageAlert['metric'], used: number, limit: number): UsageAlert | undefined {
  if (limit === 0 || used * 100 < limit * 80) return undefined;
  return { metric, percent: used < limit ? 80 : 100, used, limit };
}
