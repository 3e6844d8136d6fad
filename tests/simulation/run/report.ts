/** Sums and describes the results of many seeds. */
import type { SeedReport } from './run-seed.ts';

const FIGURES = ['seeds', 'steps', 'jobs', 'checks', 'failures', 'flawsFound', 'flawsMissed'] as const;

export type Totals = Record<(typeof FIGURES)[number], number> & { readonly faults: Record<string, number> };

/** The totals of one or many seeds; sent between processes. */
export function totalsOf(figures: Partial<Totals> = {}): Totals {
  const none = { seeds: 0, steps: 0, jobs: 0, checks: 0, failures: 0, flawsFound: 0, flawsMissed: 0 };
  return { ...none, faults: {}, ...figures };
}

export function add(totals: Totals, more: Totals): void {
  for (const figure of FIGURES) totals[figure] += more[figure];
  for (const [kind, count] of Object.entries(more.faults))
    totals.faults[kind] = (totals.faults[kind] ?? 0) + count;
}

export function describeTotals(totals: Totals): string {
  const { seeds, steps, jobs, checks, faults, failures, flawsFound, flawsMissed } = totals;
  const injected = Object.entries(faults).sort(([, one], [, other]) => other - one);
  const rows: [string, number][] = [
    ['seeds', seeds],
    ['steps (calls at ports)', steps],
    ['jobs accepted', jobs],
    ['states checked', checks],
    ['faults injected', injected.reduce((sum, [, count]) => sum + count, 0)],
    ...injected.map(([kind, count]): [string, number] => [`  ${kind}`, count]),
    ['seeds that failed', failures],
    ['flaws found', flawsFound],
    ['flaws missed', flawsMissed],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, count]) => `${name.padEnd(width)}  ${count.toLocaleString('en').padStart(10)}\n`)
    .join('');
}

export function describeFailure({ seed, failure }: SeedReport, steps: number): string {
  if (failure === undefined) return '';
  const trace = failure.recentTrace.map((line) => `    ${line}\n`).join('');
  return `seed ${seed} failed: ${failure.message}\n${trace}  again: npm run verify -- simulate --seed ${seed} --steps ${steps}\n`;
}
