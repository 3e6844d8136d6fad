/** What the two profiles with a verdict of their own add to a report. */
import { STRETCH_SECONDS, WARM_UP_SECONDS } from '../profiles/noisy-neighbour.ts';
import type { Results } from '../runner/results.ts';
import { formatNumber, formatPercent } from './axis.ts';
import { barChart } from './bar-chart.ts';
import { lineChart } from './line-chart.ts';
import { htmlTable } from './table.ts';

export function limiterSection({ limiter }: Results): string {
  if (limiter === undefined) return '';
  const { limit, windows, gateways } = limiter;
  const nameOf = (resetAtSeconds: number) => new Date(resetAtSeconds * 1_000).toISOString().slice(11, 19);
  const chart = barChart({
    title: 'Requests of one key by window',
    note: `Windows by X-RateLimit-Reset; the number on each is how many passed. Pale ones are cut off by the start or the end of the load. The dashed line is the limit of ${formatNumber(limit)}.`,
    yUnit: 'requests',
    xUnit: 'window ends at, UTC',
    legend: [
      { name: 'passed', colour: 'blue' },
      { name: 'refused with 429', colour: 'amber' },
      { name: 'neither', colour: 'red' },
    ],
    bars: windows.map(({ resetAtSeconds, passed, refused, other, isFull }) => ({
      name: nameOf(resetAtSeconds),
      values: [passed, refused, other],
      isPartial: !isFull,
    })),
    mark: { value: limit, name: `limit ${limit}` },
  });
  const table = htmlTable(
    ['window ends at, UTC', 'full', 'asked', 'passed', 'refused', 'exactly the limit'],
    windows.map(({ resetAtSeconds, passed, refused, other, isFull }) => [
      nameOf(resetAtSeconds),
      isFull ? 'yes' : 'no',
      formatNumber(passed + refused + other),
      formatNumber(passed),
      formatNumber(refused),
      isFull ? { text: passed === limit ? 'yes' : 'no', holds: passed === limit } : '',
    ]),
  );
  const shares =
    gateways === undefined
      ? ''
      : `<h3>By gateway</h3>${htmlTable(
          ['gateway', 'passed', 'refused', 'times it counted alone, without Redis'],
          gateways.map(({ name, passed, refused, timesAlone }) => [
            name,
            ...[passed, refused, timesAlone].map(formatNumber),
          ]),
        )}`;
  return `<h2>The limit</h2>${chart}${table}${shares}`;
}

export function neighbourSection({ neighbour }: Results): string {
  if (neighbour === undefined) return '';
  const { stretches, alone, flooded, letThrough, refused } = neighbour;
  const { pairs, movement, movementInterval, movementByChance, goal } = neighbour;
  const byMinute = lineChart({
    title: 'p99 of the quiet account by minute',
    note: 'Shaded while the other account floods. Minutes are compared in pairs: the first and the second, the third and the fourth, and so on.',
    yUnit: 'ms',
    xUnit: 's',
    xs: stretches.map(({ number }) => startOf(number) + STRETCH_SECONDS / 2),
    series: [
      { name: 'p50', colour: 'p50', ys: stretches.map(({ p50Ms }) => p50Ms) },
      { name: 'p99', colour: 'p99', ys: stretches.map(({ p99Ms }) => p99Ms) },
    ],
    bands: stretches
      .filter(({ isFlooded }) => isFlooded)
      .map(({ number }) => ({ from: startOf(number), to: startOf(number + 1) })),
  });
  const curve = lineChart({
    title: 'Latency of the quiet account by share of its requests',
    yUnit: 'ms',
    xUnit: '% of requests are not slower',
    xs: alone.curveMs.map((_, n) => n + 0.5),
    series: [
      { name: 'alone', colour: 'blue', ys: alone.curveMs },
      { name: 'flooded', colour: 'orange', ys: flooded.curveMs },
    ],
  });
  const table = htmlTable(
    ['', 'requests', 'p50, ms', 'p95, ms', 'p99, ms'],
    (
      [
        ['alone', alone],
        ['flooded', flooded],
        ['of these, in seconds that let the flooder through', letThrough],
        ['and in seconds that refused it', refused],
      ] as const
    ).map(([name, side]) => [
      name,
      formatNumber(side.count),
      formatNumber(side.p50Ms),
      formatNumber(side.p95Ms),
      formatNumber(side.p99Ms),
    ]),
  );
  return `<h2>The neighbour</h2>
<p>The p99 moves by <strong>${formatPercent(movement)}</strong> on average of ${pairs} pairs of minutes, one alone and one flooded; less than ${formatPercent(goal)} are allowed. In nine cases of ten the truth is between ${formatPercent(movementInterval[0])} and ${formatPercent(movementInterval[1])}, by Student's t over the pairs. By how much minutes alone differ from their neighbours, chance may show ${formatPercent(movementByChance)}.</p>
${table}${byMinute}${curve}`;
}

/** Seconds from the first request. */
function startOf(stretch: number): number {
  return WARM_UP_SECONDS + stretch * STRETCH_SECONDS;
}
