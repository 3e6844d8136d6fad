/** What the two profiles with a verdict of their own add to a report. */
import { WINDOW_SECONDS } from '../profiles/noisy-neighbour.ts';
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
  const { windows, alone, flooded, letThrough, refused } = neighbour;
  const { movement, movementInterval, movementByChance, goal } = neighbour;
  const byWindow = lineChart({
    title: 'p99 of the quiet account by window',
    note: 'Shaded while the other account floods. A window alone holds few requests: its p99 jumps.',
    yUnit: 'ms',
    xUnit: 's',
    xs: windows.map(({ number }) => (number + 0.5) * WINDOW_SECONDS),
    series: [
      { name: 'p50', colour: 'p50', ys: windows.map(({ p50Ms }) => p50Ms) },
      { name: 'p99', colour: 'p99', ys: windows.map(({ p99Ms }) => p99Ms) },
    ],
    bands: windows
      .filter(({ isFlooded }) => isFlooded)
      .map(({ number }) => ({ from: number * WINDOW_SECONDS, to: (number + 1) * WINDOW_SECONDS })),
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
<p>The p99 moves by <strong>${formatPercent(movement)}</strong>; less than ${formatPercent(goal)} is allowed. Resampled windows give ${formatPercent(movementInterval[0])} to ${formatPercent(movementInterval[1])} in nine cases of ten. Between two halves of the windows alone, where nothing floods, it moves by ${formatPercent(movementByChance)}.</p>
${table}${byWindow}${curve}`;
}
