/** Renders a run as a page. */
import { markdownTable } from '../harness/command/markdown-table.ts';
import { renderTimeline, type Sample } from './timeline.ts';

export interface StepOutcome {
  readonly title: string;
  readonly outcome: 'passed' | 'FAILED' | 'left out';
  /** The findings, or the reason for the failure. */
  readonly message: string;
  /** Additional Markdown below a heading. */
  readonly page?: string;
  readonly seconds: number;
}

export interface RunFacts {
  readonly startedAt: Date;
  readonly kubernetes: string;
  readonly nodes: number;
  readonly cores: number;
}

/** Markdown. */
export function renderReport(
  { startedAt, kubernetes, nodes, cores }: RunFacts,
  outcomes: readonly StepOutcome[],
  samples: readonly Sample[],
): string {
  const failed = outcomes.filter(({ outcome }) => outcome !== 'passed').length;
  const verdict = failed === 0 ? 'every step passed' : `${failed} of ${outcomes.length} steps did not pass`;
  return [
    `\`npm run verify -- cluster\` on ${startedAt.toISOString().slice(0, 10)}: Kubernetes ${kubernetes}, ${nodes} nodes on one machine of ${cores} cores; ${verdict}.`,
    markdownTable(['step', '', 'time', ''], outcomes.map(rowOf), () => 'text'),
    ...outcomes.flatMap(({ title, page }) => (page === undefined ? [] : [`### ${title}`, page])),
    '### Replicas over time',
    'Pods that are ready, or ready/wanted where that differs; a row whenever something has changed. The backlog is what the HPA receives.',
    `${renderTimeline(samples)}\n`,
  ].join('\n\n');
}

function rowOf({ title, outcome, message, seconds }: StepOutcome): readonly string[] {
  return [title, outcome, `${seconds.toFixed(0)} s`, message];
}
