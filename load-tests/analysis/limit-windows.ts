/**
 * Whether a limit is exact: how many requests passed in each window, by the X-RateLimit-Reset of each response.
 *
 * The windows are the limiter's own, so no clock has to agree with it. The start and the end of the load cut off the first
 * and the last window; those between are full, and have to pass exactly the limit: one more is a race between gateways, one
 * less is a request counted twice.
 */
import type { WindowAnswer } from './samples.ts';

export interface LimitWindow {
  /** Unix time at which it ended. */
  readonly resetAtSeconds: number;
  readonly passed: number;
  readonly refused: number;
  /** Answers that were neither. */
  readonly other: number;
  readonly isFull: boolean;
}

export interface LimiterFindings {
  readonly limit: number;
  readonly windows: readonly LimitWindow[];
  /** Empty where the limit is exact. */
  readonly violations: readonly string[];
}

export function analyseLimit(
  answers: readonly WindowAnswer[],
  limit: number,
  wantedFullWindows: number,
): LimiterFindings {
  const counts = new Map<string, { passed: number; refused: number; other: number }>();
  for (const { window, verdict } of answers) {
    const count = counts.get(window) ?? { passed: 0, refused: 0, other: 0 };
    count[verdict] += 1;
    counts.set(window, count);
  }
  const violations: string[] = [];
  const strangers = counts.get('none');
  if (strangers !== undefined) {
    counts.delete('none');
    violations.push(
      `${strangers.passed + strangers.refused + strangers.other} answers did not say which window they belong to`,
    );
  }
  const resets = [...counts.keys()].map(Number).sort((one, other) => one - other);
  const windows = resets.map((resetAtSeconds, n): LimitWindow => {
    const count = counts.get(String(resetAtSeconds)) ?? { passed: 0, refused: 0, other: 0 };
    return { resetAtSeconds, ...count, isFull: n > 0 && n < resets.length - 1 };
  });
  const full = windows.filter(({ isFull }) => isFull);
  if (full.length < wantedFullWindows) {
    violations.push(`only ${full.length} of ${wantedFullWindows} full windows were seen`);
  }
  return {
    limit,
    windows,
    violations: [...violations, ...windows.flatMap((window) => violationsOf(window, limit))],
  };
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
