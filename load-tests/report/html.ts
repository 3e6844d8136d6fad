/** A run as one page that needs nothing else: no script, no network, plots as SVG. */
import type { Results } from '../runner/results.ts';
import { formatNumber } from './axis.ts';
import { escapeHtml } from './escape.ts';
import { lengthOf } from './length.ts';
import { lineChart } from './line-chart.ts';
import { resourceSection } from './resource-section.ts';
import { STYLE } from './style.ts';
import { htmlTable } from './table.ts';
import { limiterSection, neighbourSection } from './verdict-sections.ts';

export function renderHtml(results: Results): string {
  const { profile, purpose, startedAt } = results;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(profile)} ${escapeHtml(startedAt.slice(0, 16))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(profile)}: ${escapeHtml(lengthOf(results))}</h1>
<p class="soft">${escapeHtml(purpose)}</p>
${verdict(results)}
${facts(results)}
${limiterSection(results)}${neighbourSection(results)}
${resourceSection(results)}
<h2>Requests</h2>
${scenarios(results)}
${plots(results)}
<h2>Thresholds</h2>
${thresholds(results)}
<h2>Checks</h2>
${checks(results)}
</body>
</html>
`;
}

function verdict({ outcome, failures, doubts }: Results): string {
  const list = [...failures, ...doubts].map((each) => `<li>${escapeHtml(each)}</li>`).join('');
  switch (outcome) {
    case 'held':
      return '<p class="verdict holds">✓ Everything held</p>';
    case 'failed':
      return `<p class="verdict fails">✗ ${failures.length === 1 ? 'One thing' : `${failures.length} things`} did not hold</p><ul>${list}</ul>`;
    case 'inconclusive':
      return `<p class="verdict unclear">? Inconclusive: the run cannot tell</p><ul>${list}</ul>`;
    default:
      return outcome satisfies never;
  }
}

function facts({
  startedAt,
  seconds,
  target,
  k6,
  cores,
  command,
  droppedIterations,
  jobSeconds,
}: Results): string {
  const jobs =
    jobSeconds === undefined
      ? ''
      : ` ${formatNumber(jobSeconds.count)} jobs were completed, half of them within ${formatNumber(jobSeconds.p50)} s and 95 % within ${formatNumber(jobSeconds.p95)} s.`;
  return `<p>${escapeHtml(startedAt.slice(0, 19))} UTC, ${formatNumber(Math.round(seconds))} s on ${cores} cores with the load's own work among it, k6 ${escapeHtml(k6)}, against ${escapeHtml(target)}.${jobs} Arrivals dropped: ${droppedIterations}.</p>
<p>Again: <code>${escapeHtml(command)}</code></p>`;
}

function scenarios({ scenarios: all }: Results): string {
  return htmlTable(
    ['scenario', 'requests', 'refused', 'failed', 'p50, ms', 'p95, ms', 'p99, ms', 'longest, ms'],
    all.map(({ name, count, refused, failed, p50Ms, p95Ms, p99Ms, maxMs }) => [
      name,
      formatNumber(count),
      formatNumber(refused),
      { text: formatNumber(failed), ...(failed === 0 ? {} : { holds: false }) },
      ...[p50Ms, p95Ms, p99Ms, maxMs].map(formatNumber),
    ]),
  );
}

function plots({ timeline: { points, bucketSeconds } }: Results): string {
  const xs = points.map(({ second }) => second);
  const per = bucketSeconds === 1 ? 'each second' : `each ${bucketSeconds} s`;
  const rates = lineChart({
    title: 'Answers',
    note: `Of all scenarios together, ${per}.`,
    yUnit: 'per second',
    xUnit: 's',
    xs,
    series: [
      { name: 'answered', colour: 'blue', ys: points.map((point) => point.answeredPerSecond) },
      { name: 'refused with 429', colour: 'amber', ys: points.map((point) => point.refusedPerSecond) },
      { name: 'failed', colour: 'red', ys: points.map((point) => point.failedPerSecond) },
    ],
  });
  const latencies = lineChart({
    title: 'Latency',
    note: `Of all answers of ${per === 'each second' ? 'one second' : `${bucketSeconds} s`}.`,
    yUnit: 'ms',
    xUnit: 's',
    xs,
    series: [
      { name: 'p50', colour: 'p50', ys: points.map(({ p50Ms }) => p50Ms) },
      { name: 'p95', colour: 'p95', ys: points.map(({ p95Ms }) => p95Ms) },
      { name: 'p99', colour: 'p99', ys: points.map(({ p99Ms }) => p99Ms) },
    ],
  });
  return rates + latencies;
}

function thresholds({ thresholds: all }: Results): string {
  return htmlTable(
    ['metric', 'has to be', ''],
    all.map(({ metric, expression, holds }) => [
      metric,
      expression,
      { text: holds ? 'held' : 'did not hold', holds },
    ]),
  );
}

function checks({ checks: all }: Results): string {
  return htmlTable(
    ['check', 'passed', 'failed'],
    all.map(({ name, passes, fails }) => [
      name,
      formatNumber(passes),
      { text: formatNumber(fails), ...(fails === 0 ? {} : { holds: false }) },
    ]),
  );
}
