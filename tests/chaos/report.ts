/** The report of a run: a table by faults, the violations, and the command to repeat it. */
import { markdownTable } from '../harness/command/markdown-table.ts';
import type { Violation } from './checks/violations.ts';
import type { Observations, ObservedInjection } from './observations.ts';
import type { RunCounts } from './run-shape.ts';

export interface RunFacts extends RunCounts {
  readonly command: string;
  readonly startedAt: Date;
  readonly seconds: number;
  readonly cores: number;
  readonly titles: ReadonlyMap<string, string>;
  /** Responses to POST by status; 0 counts broken connections. */
  readonly answers: ReadonlyMap<number, number>;
}

const COUNTED = ['lost', 'duplicated', 'billed twice', 'stuck'] as const;
const COLUMNS = ['fault', 'injected', 'jobs running', ...COUNTED, 'longest recovery'];

/** Markdown. */
export function renderReport(
  facts: RunFacts,
  observations: Observations,
  violations: readonly Violation[],
): string {
  return `${[
    renderTable(facts.titles, observations, violations),
    renderTotals(facts, observations),
    renderViolations(violations),
  ].join('\n\n')}\n`;
}

export function renderTable(
  titles: ReadonlyMap<string, string>,
  { injections }: Pick<Observations, 'injections'>,
  violations: readonly Violation[],
): string {
  const kinds = [...titles.keys()].filter((kind) => injections.some((each) => each.kind === kind));
  const rows = [
    ...kinds.map((kind) => ({
      title: titles.get(kind) ?? kind,
      of: injections.filter((each) => each.kind === kind),
      count: (violation: Violation, of: readonly ObservedInjection[]) =>
        of.some(({ number }) => violation.injections.includes(number)),
    })),
    { title: '**all**', of: injections, count: () => true },
  ];
  const lines = rows.map(({ title, of, count }) => [
    title,
    String(of.length),
    String(sumOf(of)),
    ...COUNTED.map((kind) =>
      String(violations.filter((each) => each.kind === kind && count(each, of)).length),
    ),
    longestRecovery(of),
  ]);
  return markdownTable(COLUMNS, lines);
}

function longestRecovery(injections: readonly ObservedInjection[]): string {
  if (injections.some(({ recoveryMs }) => recoveryMs === undefined)) return 'never';
  const longestMs = Math.max(0, ...injections.map(({ recoveryMs = 0 }) => recoveryMs));
  return `${(longestMs / 1_000).toFixed(1)} s`;
}

function renderTotals(facts: RunFacts, { jobs, injections }: Observations): string {
  const ended = (kind: string) => jobs.filter(({ end }) => end.kind === kind).length;
  const answers = [...facts.answers]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status === 0 ? 'no answer' : status}: ${count}`);
  const running = sumOf(injections);
  return [
    `- ${facts.startedAt.toISOString()}, ${Math.round(facts.seconds / 6) / 10} minutes on ${facts.cores} cores: ${facts.gateways} gateways, ${facts.splitters} splitters, leases of ${facts.leaseSeconds} s.`,
    `- ${injections.length} injections of ${new Set(injections.map(({ kind }) => kind)).size} kinds, ${injections.length === 0 ? 0 : (running / injections.length).toFixed(1)} jobs running at each on average.`,
    `- ${jobs.length} jobs: ${ended('completed')} completed, ${ended('failed')} failed after their attempts, ${ended('missing')} lost, ${ended('stuck')} stuck.`,
    `- Answers to POST: ${answers.join(', ')}.`,
    `- Again: \`${facts.command}\``,
  ].join('\n');
}

function renderViolations(violations: readonly Violation[]): string {
  if (violations.length === 0) return 'No violation.';
  const lines = violations.map(
    ({ kind, subject, explanation, injections }) =>
      `- **${kind}** ${subject}: ${explanation}${injections.length === 0 ? '' : ` (injections ${injections.join(', ')})`}`,
  );
  return [`${violations.length} violations:`, '', ...lines].join('\n');
}

function sumOf(injections: readonly ObservedInjection[]): number {
  return injections.reduce((sum, { runningJobs }) => sum + runningJobs, 0);
}
