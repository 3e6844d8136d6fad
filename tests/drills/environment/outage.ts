/** What callers have met, by the record of a load that tries nothing twice. */
import type { ObservedRequest, RequestKind } from './light-load.ts';

export interface Outage {
  readonly asked: number;
  readonly failed: number;
  /** Of those that failed, by status; 0 stands for no answer. */
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
  const asked = requests
    .filter(({ kind, beganAtMs }) => beganAtMs >= sinceMs && kinds.includes(kind))
    .toSorted((a, b) => a.beganAtMs - b.beganAtMs);
  const lastFailure = asked.findLastIndex((each) => !isSuccess(each));
  const failures = asked.filter((each) => !isSuccess(each));
  const statuses = new Map<number, number>();
  for (const { status } of failures) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const after = asked.slice(lastFailure + 1).map(({ endedAtMs }) => endedAtMs);
  const ended = Math.min(...after);
  return {
    asked: asked.length,
    failed: failures.length,
    statuses,
    seconds: failures.length === 0 || after.length === 0 ? 0 : (ended - sinceMs) / 1_000,
    lasts: failures.length > 0 && after.length === 0,
  };
}

export function describeOutage({ asked, failed, statuses }: Outage): string {
  if (failed === 0) return `${asked} requests, none failed`;
  const each = [...statuses].map(
    ([status, count]) => `${count} ${status === 0 ? 'without an answer' : `with ${status}`}`,
  );
  return `${failed} of ${asked} requests failed: ${each.join(', ')}`;
}

function isSuccess({ status }: ObservedRequest): boolean {
  return status >= 200 && status < 300;
}
