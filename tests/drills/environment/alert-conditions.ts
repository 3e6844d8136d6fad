/**
 * Conditions of alerts that a drill makes true, computed from the metrics of all processes. A drill is
 * shorter than an alert's `for`, so it checks only the condition; `npm run verify -- alerts` shows that the
 * alert fires after its time.
 */
export interface AlertCondition {
  readonly alert: string;
  /** The expression in charts/audiosplit/rules. */
  readonly expr: string;
  readonly threshold: number;
  /** The expression's left side. */
  value(pages: readonly string[]): number;
}

export const LIMITER_DEGRADED: AlertCondition = {
  alert: 'AudiosplitLimiterDegraded',
  expr: 'sum by (namespace) (audiosplit_rate_limiter_degraded) > 0',
  threshold: 0,
  value: (pages) => valuesOf(pages, 'audiosplit_rate_limiter_degraded').reduce((sum, each) => sum + each, 0),
};

export const OUTBOX_STUCK: AlertCondition = {
  alert: 'AudiosplitOutboxStuck',
  expr: 'max by (namespace, schema) (audiosplit_outbox_oldest_age_seconds) > 60',
  threshold: 60,
  value: (pages) => Math.max(0, ...valuesOf(pages, 'audiosplit_outbox_oldest_age_seconds')),
};

function valuesOf(pages: readonly string[], metric: string): number[] {
  const sample = new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm');
  return pages.flatMap((page) => [...page.matchAll(sample)].map(([, value]) => Number(value)));
}
