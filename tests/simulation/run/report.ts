/** The sums over many seeds, and their description. */
import type { Flaw } from '../faults/flaws.ts';
import type { FlawReport } from './broken-code.ts';
import type { SeedReport } from './run-seed.ts';

/** Of one or many seeds; sent between processes. */
export interface Totals {
  seeds: number;
  steps: number;
  jobs: number;
  checks: number;
  readonly faults: Record<string, number>;
  readonly failures: FailedSeed[];
  flawsFound: number;
  readonly flawsMissed: Flaw[];
}

interface FailedSeed {
  readonly seed: number;
  readonly message: string;
  readonly recentTrace: readonly string[];
}

export function emptyTotals(): Totals {
  return { seeds: 0, steps: 0, jobs: 0, checks: 0, faults: {}, failures: [], flawsFound: 0, flawsMissed: [] };
}

export function totalsOf({ seed, steps, jobs, checks, faults, failure }: SeedReport): Totals {
  return {
    ...emptyTotals(),
    seeds: 1,
    steps,
    jobs,
    checks,
    faults: Object.fromEntries(faults),
    failures: failure === undefined ? [] : [{ seed, ...failure }],
  };
}

export function add(totals: Totals, more: Totals): void {
  totals.seeds += more.seeds;
  totals.steps += more.steps;
  totals.jobs += more.jobs;
  totals.checks += more.checks;
  for (const [kind, count] of Object.entries(more.faults))
    totals.faults[kind] = (totals.faults[kind] ?? 0) + count;
  totals.failures.push(...more.failures);
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
    ['seeds that failed', failures.length],
    ['flaws found', flawsFound],
    ['flaws missed', flawsMissed.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, count]) => `${name.padEnd(width)}  ${count.toLocaleString('en').padStart(10)}\n`)
    .join('');
}

export function describeFailure({ seed, message, recentTrace }: FailedSeed, steps: number): string {
  const trace = recentTrace.map((line) => `    ${line}\n`).join('');
  return `seed ${seed} failed: ${message}\n${trace}  again: npm run verify -- simulate --seed ${seed} --steps ${steps}\n`;
}

export function describeFlaw({ flaw, seed, invariant, problem }: FlawReport): string {
  if (problem !== undefined)
    return `flaw missed: ${flaw}: ${seed === undefined ? '' : `seed ${seed}: `}${problem}\n`;
  return `flaw found: ${flaw}, by seed ${seed}: ${invariant}\n`;
}
