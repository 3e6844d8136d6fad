/** Steps, one after the other, each timed, reported and judged. */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Report } from '../../deploy/provision/progress.ts';
import type { StepOutcome } from './report.ts';

export interface Step<Context> {
  readonly title: string;
  /** The steps after it depend on it. */
  readonly isVital?: boolean;
  /** Resolves with its findings, or throws. */
  run(context: Context): Promise<string | Required<Pick<StepOutcome, 'message' | 'page'>>>;
}

/** `enter`: what is seen from here on belongs to the step. */
export async function runSteps<Context extends { readonly signal: AbortSignal }>(
  steps: readonly Step<Context>[],
  context: Context,
  report: Report,
  enter: (step: string) => void,
): Promise<readonly StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  let isOver = false;
  for (const { title, isVital, run } of steps) {
    if (isOver) {
      outcomes.push({ title, outcome: 'left out', message: 'a step before it failed', seconds: 0 });
      continue;
    }
    enter(title);
    report('step', title);
    const startedMs = performance.now();
    const outcome = await run(context).then(
      (message) => ({ outcome: 'passed' as const, ...(typeof message === 'string' ? { message } : message) }),
      (error) => ({ outcome: 'FAILED' as const, message: messageOf(error) }),
    );
    context.signal.throwIfAborted();
    report('step', `${outcome.outcome}: ${outcome.message}`);
    outcomes.push({ title, ...outcome, seconds: (performance.now() - startedMs) / 1000 });
    isOver = isVital === true && outcome.outcome === 'FAILED';
  }
  return outcomes;
}
