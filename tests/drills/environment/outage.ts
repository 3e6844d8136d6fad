/** The failures that clients saw, from the record of a load without retries. */
import type { ObservedRequest, RequestKind } from './light-load.ts';

export type Outage = ReturnType<typeof findOutage>;

export function findOutage(
  requests: readonly ObservedRequest[],
  sinceMs: number,
  kinds: readonly RequestKind[] = ['create', 'read', 'list', 'download'],
) {
  const all = requests
    .filter(({ kind, beganAtMs }) => beganAtMs >= sinceMs && kinds.includes(kind))
    .toSorted((a, b) => a.beganAtMs - b.beganAtMs);
  const lastFailure = all.findLastIndex((each) => !isSuccess(each));
  const failures = all.filter((each) => !isSuccess(each));
  const statuses = new Map<number, number>();
  for (const { status } of failures) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const after = all.slice(lastFailure + 1).map(({ endedAtMs }) => endedAtMs);
  return {
    total: all.length,
    failed: failures.length,
    /** The statuses of the failures; 0 counts those without a response. */
    statuses,
    /** From `sinceMs` to the end of the first request that succeeded after the last failure; 0 without a failure. */
    seconds: failures.length === 0 || after.length === 0 ? 0 : (Math.min(...after) - sinceMs) / 1_000,
    /** Whether no request has succeeded since. */
    lasts: failures.length > 0 && after.length === 0,
  };
}

export function describeOutage({ total, failed, statuses }: Outage): string {
  if (failed === 0) return `${total} requests, none failed`;
  const each = [...statuses].map(
    ([status, count]) => `${count} ${status === 0 ? 'without an answer' : `with ${status}`}`,
  );
  return `${failed} of ${total} requests failed: ${each.join(', ')}`;
}

export function isSuccess({ status }: ObservedRequest): boolean {
  return status >= 200 && status < 300;
}
