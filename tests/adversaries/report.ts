/** The table of a run, as in docs/adversaries.md. */
import { availableParallelism } from 'node:os';
import { ascending, median, quantile } from '@audiosplit/chassis/testing/latency';
import { markdownTable } from '../harness/command/markdown-table.ts';
import { type Bounds, faultsOf, inMebibytes, type Measured } from './verdict.ts';

interface RunFacts {
  readonly isDistributed: boolean;
  readonly startedAt: Date;
}

const COLUMNS = [
  'adversary',
  'held by',
  'median',
  'p95',
  'growth',
  'scratch',
  'what it got in the last block',
];
const NUMBERS = [2, 3, 4, 5];

/** Markdown. Times are those during the attack, with those of the idle installation in brackets. */
export function renderReport(measured: readonly Measured[], bounds: Bounds, facts: RunFacts): string {
  const { isDistributed, startedAt } = facts;
  const rows = measured.map((each) => [
    each.title,
    each.bound,
    pair(median(each.besideMs), median(each.idleMs)),
    pair(p95(each.besideMs), p95(each.idleMs)),
    inMebibytes(each.growthBytes),
    inMebibytes(each.scratchBytes),
    each.got,
  ]);
  const faults = measured.flatMap((each) => faultsOf(each, bounds).map((line) => `- ${each.title}: ${line}`));
  const kind = isDistributed ? 'separate processes on real engines' : 'the embedded run';
  return [
    `${startedAt.toISOString()}, ${availableParallelism()} cores, ${kind}. Times in ms, in brackets those of the idle installation.`,
    markdownTable(COLUMNS, rows, (column) => (NUMBERS.includes(column) ? 'number' : 'text')),
    faults.length === 0 ? 'Every bound held.' : `Bounds that did not hold:\n\n${faults.join('\n')}`,
    '',
  ].join('\n\n');
}

function pair(beside: number, idle: number): string {
  return `${beside.toFixed(0)} (${idle.toFixed(0)})`;
}

function p95(values: readonly number[]): number {
  return quantile(ascending(values), 0.95);
}
