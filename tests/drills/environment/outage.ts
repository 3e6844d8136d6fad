/** The failures that clients saw, from the record of a load without retries. */
import type { ObservedRequest, RequestKind } from './light-load.ts';

export interface Outage {
  readonly total: number;
  readonly failed: number;
  /** Of the failures by status; 0 counts those without a response. */
  readonly statuses: ReadonlyMap<number, number>;
  /** From `sinceMs` to the end of the first request that succeeded after the last failure; 0 without a failure. */
  readonly seconds: number;
  /** Whether nothing has succeeded since. */
  readonly lasts: boolean;
}

export function findOutage(
  requests: readonly ObservedRequest[],
  sinceMs: number,
  kinds: readonly RequestKind[] = ['create', 'read', 'list', 'download'],
): Outage {
  const all = requests
    .filter(({ kind, beganAtMs }) => beganAtMs >= sinceMs && kinds.includes(kind))
    .toSorted((a, b) => a.beganAtMs - b.beganAtMs);
  const lastFailure = all.findLastIndex((each) => !isSuccess(each));
  const failures = all.filter((each) => !isSuccess(each));
  const statuses = new Map<number, number>();
  for (const { status } of failures) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const after = all.slice(lastFailure + 1).map(({ endedAtMs }) => endedAtMs);
  const ended = Math.min(...after);
  return {
    total: all.length,
    failed: failures.length,
    statuses,
    seconds: failures.length === 0 || after.length === 0 ? 0 : (ended - sinceMs) / 1_000,
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
