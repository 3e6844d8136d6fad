/** A run in a few lines, for a terminal and for Markdown alike. */
import type { Results } from '../runner/results.ts';
import { formatNumber, formatPercent } from './axis.ts';

export function renderText(results: Results): string {
  const { profile, startedAt, seconds, cores, target, command, failures } = results;
  return `${[
    `${profile}: ${failures.length === 0 ? 'everything held' : 'not everything held'}`,
    [
      `- ${startedAt.slice(0, 19)} UTC, ${Math.round(seconds)} s on ${cores} cores, against ${target}.`,
      ...limiterLines(results),
      ...neighbourLines(results),
      ...jobLines(results),
      `- Arrivals dropped: ${results.droppedIterations}. Thresholds: ${results.thresholds.length}, of which ${results.thresholds.filter(({ holds }) => !holds).length} did not hold.`,
      `- Again: \`${command}\``,
      ...failures.map((each) => `- **Failure**: ${each}`),
    ].join('\n'),
    scenarioTable(results),
  ].join('\n\n')}\n`;
}

function limiterLines({ limiter }: Results): string[] {
  if (limiter === undefined) return [];
  const full = limiter.windows.filter(({ isFull }) => isFull);
  const counts = full.map(({ passed, refused }) => `${passed} passed and ${refused} refused`);
  const shares = (limiter.gateways ?? []).map(
    ({ name, passed, refused }) => `${name} ${passed} and ${refused}`,
  );
  return [
    `- Limit ${limiter.limit}. Full windows: ${counts.join('; ')}.`,
    ...(shares.length === 0 ? [] : [`- Passed and refused by gateway: ${shares.join('; ')}.`]),
  ];
}

function neighbourLines({ neighbour }: Results): string[] {
  if (neighbour === undefined) return [];
  const { alone, flooded, letThrough, refused, movement, movementInterval, movementByChance } = neighbour;
  return [
    `- p99 alone ${alone.p99Ms.toFixed(1)} ms (${alone.count} requests), flooded ${flooded.p99Ms.toFixed(1)} ms (${flooded.count}): moved by ${formatPercent(movement)} (${formatPercent(movementInterval[0])} to ${formatPercent(movementInterval[1])}; by chance ${formatPercent(movementByChance)}).`,
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
  const rows = scenarios.map(({ name, count, refused, failed, p50Ms, p95Ms, p99Ms }) =>
    [name, count, refused, failed, ...[p50Ms, p95Ms, p99Ms].map(formatNumber)].join(' | '),
  );
  return [
    '| scenario | requests | refused | failed | p50, ms | p95, ms | p99, ms |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}
