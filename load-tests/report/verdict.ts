/** A run in Markdown, for a page and for the terminal: the verdict, and its figures. */

import { markdownTable } from '../../tests/harness/command/markdown-table.ts';
import type { Results } from '../runner/results.ts';
import { formatNumber, formatPercent, lengthOf } from './numbers.ts';
import { resourceLines, resourceTable } from './resources.ts';

const OUTCOMES: Readonly<Record<Results['outcome'], string>> = {
  held: 'everything held',
  failed: 'not everything held',
  inconclusive: 'inconclusive, as the run cannot tell',
};

export function renderVerdict(results: Results): string {
  const { profile, outcome, startedAt, seconds, cores, target, command, failures, doubts } = results;
  const { thresholds, droppedIterations } = results;
  const missed = thresholds.filter(({ holds }) => !holds).length;
  const lines = [
    `- ${startedAt.slice(0, 19)} UTC, ${Math.round(seconds)} s on ${cores} cores, against ${target}.`,
    ...limiterLines(results),
    ...neighbourLines(results),
    ...resourceLines(results),
    ...jobLines(results),
    `- Arrivals dropped: ${droppedIterations}. Thresholds: ${thresholds.length}, of which ${missed} did not hold.`,
    `- Again: \`${command}\``,
    ...failures.map((each) => `- **Failure**: ${each}`),
    ...doubts.map((each) => `- **Inconclusive**: ${each}`),
  ];
  const tables = [scenarioTable, windowTable, gatewayTable, resourceTable].map((tableOf) => tableOf(results));
  const head = `${profile}, ${lengthOf(results)}: ${OUTCOMES[outcome]}`;
  return `${[head, lines.join('\n'), ...tables].filter((part) => part !== '').join('\n\n')}\n`;
}

function limiterLines({ limiter }: Results): string[] {
  return limiter === undefined
    ? []
    : [`- Limit ${limiter.limit}; a full window has to pass exactly as many.`];
}

/** Windows that the load's start or end cuts off are shown, but not judged. */
function windowTable({ limiter }: Results): string {
  if (limiter === undefined) return '';
  const rows = limiter.windows.map(({ resetAtSeconds, passed, refused, other, isFull }) => [
    new Date(resetAtSeconds * 1_000).toISOString().slice(11, 19),
    ...[passed, refused, other].map(formatNumber),
    isFull ? (passed === limiter.limit ? 'yes' : '**no**') : 'cut off',
  ]);
  return markdownTable(['window ends at, UTC', 'passed', 'refused', 'neither', 'exactly the limit'], rows);
}

function gatewayTable({ limiter }: Results): string {
  if (limiter?.gateways === undefined) return '';
  const rows = limiter.gateways.map(({ name, passed, refused, timesAlone }) => [
    name,
    ...[passed, refused, timesAlone].map(formatNumber),
  ]);
  return markdownTable(['gateway', 'passed', 'refused', 'times it counted alone, without Redis'], rows);
}

function neighbourLines({ neighbour }: Results): string[] {
  if (neighbour === undefined) return [];
  const { alone, flooded, letThrough, refused, pairs, movement, movementInterval, movementByChance, goal } =
    neighbour;
  return [
    `- The p99 moved by ${formatPercent(movement)} on average of ${pairs} pairs of minutes (${formatPercent(movementInterval[0])} to ${formatPercent(movementInterval[1])} in nine cases of ten); less than ${formatPercent(goal)} are allowed. Chance may show ${formatPercent(movementByChance)}.`,
    `- Of all minutes together: alone ${formatNumber(alone.p99Ms)} ms (${alone.count} requests), flooded ${formatNumber(flooded.p99Ms)} ms (${flooded.count}).`,
    `- Of the flooded: in seconds that let the flooder through ${formatNumber(letThrough.p99Ms)} ms (${letThrough.count}), in seconds that refused it ${formatNumber(refused.p99Ms)} ms (${refused.count}).`,
  ];
}

function jobLines({ jobSeconds }: Results): string[] {
  if (jobSeconds === undefined) return [];
  const { count, p50, p95 } = jobSeconds;
  return [
    `- ${count} jobs completed, p50 ${p50.toFixed(1)} s, p95 ${p95.toFixed(1)} s, by polls every half second.`,
  ];
}

function scenarioTable({ scenarios }: Results): string {
  const rows = scenarios.map(({ name, count, refused, failed, p50Ms, p95Ms, p99Ms, maxMs }) => [
    name,
    ...[count, refused, failed, p50Ms, p95Ms, p99Ms, maxMs].map(formatNumber),
  ]);
  const head = ['scenario', 'requests', 'refused', 'failed', 'p50, ms', 'p95, ms', 'p99, ms', 'longest, ms'];
  return markdownTable(head, rows);
}
