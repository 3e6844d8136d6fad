/**
 * Whether a limit is exact: counts the requests that passed in each window, by the X-RateLimit-Reset of each
 * response.
 *
 * The windows are the limiter's own, so clocks do not have to be synchronized with it. The start and the end
 * of the load cut off the first and the last window. The windows between are full and must pass exactly the
 * limit: one more is a race between gateways, one less is a request counted twice.
 */
import type { WindowAnswer } from './samples.ts';

interface LimitWindow {
  /** The Unix time at which it ended. */
  readonly resetAtSeconds: number;
  readonly passed: number;
  readonly refused: number;
  readonly other: number;
  readonly isFull: boolean;
}

export function analyseLimit(answers: readonly WindowAnswer[], limit: number, wantedFullWindows: number) {
  const byWindow = Map.groupBy(answers, ({ window }) => window);
  const strangers = byWindow.get('none') ?? [];
  byWindow.delete('none');
  const windows = [...byWindow]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([window, of], n): LimitWindow => {
      const count = (verdict: WindowAnswer['verdict']) =>
        of.filter((each) => each.verdict === verdict).length;
      return {
        resetAtSeconds: Number(window),
        passed: count('passed'),
        refused: count('refused'),
        other: count('other'),
        isFull: n > 0 && n < byWindow.size - 1,
      };
    });
  const full = windows.filter(({ isFull }) => isFull).length;
  const violations = windows.flatMap((window) => violationsOf(window, limit));
  if (full < wantedFullWindows) {
    violations.unshift(`only ${full} of ${wantedFullWindows} full windows were seen`);
  }
  if (strangers.length > 0) {
    violations.unshift(`${strangers.length} answers did not say which window they belong to`);
  }
  return { limit, windows, violations };
}

function violationsOf(
  { resetAtSeconds, passed, refused, other, isFull }: LimitWindow,
  limit: number,
): string[] {
  const name = `the window that ended at ${new Date(resetAtSeconds * 1_000).toISOString()}`;
  const found: string[] = [];
  if (passed > limit) found.push(`${name} passed ${passed}, more than the limit of ${limit}`);
  if (isFull && passed < limit) {
    found.push(
      refused === 0
        ? `${name} was offered ${passed + other} only, fewer than the limit of ${limit}`
        : `${name} passed ${passed}, fewer than the limit of ${limit}, and refused ${refused}`,
    );
  }
  if (other > 0) found.push(`${name} had ${other} answers that neither passed nor were refused`);
  return found;
}
