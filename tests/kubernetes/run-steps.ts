/** Runs steps one after the other; each is timed, reported and judged. */
import { messageOf } from '@audiosplit/chassis/errors';
import type { Report } from '../../deploy/provision/progress.ts';
import type { StepOutcome } from './report.ts';

export interface Step<Context> {
  readonly title: string;
  /** Later steps depend on it. */
  readonly isVital?: boolean;
  /** Run only if chosen by its title: it needs the machine for itself, or much time. */
  readonly isOptional?: boolean;
  /** Resolves with its findings, or throws. */
  run(context: Context): Promise<string | Required<Pick<StepOutcome, 'message' | 'page'>>>;
}

interface StepWatch {
  /** Attributes everything observed from now on to the step. */
  enter(step: string): void;
  /** The warnings that the product has logged since then. */
  warningsSince(since: Date): Promise<readonly string[]>;
}

const WARNINGS_SHOWN = 100;

/** The steps whose title contains the words, after those on which they depend; all but optional ones without words. */
export function chooseSteps<Context>(
  steps: readonly Step<Context>[],
  words: string | undefined,
): readonly Step<Context>[] {
  if (words === undefined) return steps.filter(({ isOptional }) => isOptional !== true);
  const isChosen = ({ title }: Step<Context>) => title.includes(words);
  const last = steps.findLastIndex(isChosen);
  return steps.filter((step, index) => isChosen(step) || (step.isVital === true && index < last));
}

export async function runSteps<Context extends { readonly signal: AbortSignal }>(
  steps: readonly Step<Context>[],
  context: Context,
  report: Report,
  watch: StepWatch,
): Promise<readonly StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  let isOver = false;
  for (const { title, isVital, run } of steps) {
    if (isOver) {
      outcomes.push({ title, outcome: 'left out', message: 'a step before it failed', seconds: 0 });
      continue;
    }
    watch.enter(title);
    report('step', title);
    const startedMs = performance.now();
    const startedAt = new Date();
    const outcome = await run(context).then(
      (message) => ({ outcome: 'passed' as const, ...(typeof message === 'string' ? { message } : message) }),
      (error) => ({ outcome: 'FAILED' as const, message: messageOf(error) }),
    );
    context.signal.throwIfAborted();
    report('step', `${outcome.outcome}: ${outcome.message}`);
    if (outcome.outcome === 'FAILED') {
      const warnings = await watch.warningsSince(startedAt);
      for (const warning of warnings.slice(0, WARNINGS_SHOWN)) report('warning', warning);
    }
    outcomes.push({ title, ...outcome, seconds: (performance.now() - startedMs) / 1000 });
    isOver = isVital === true && outcome.outcome === 'FAILED';
  }
  return outcomes;
}
