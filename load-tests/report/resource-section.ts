/** What processes hold, as small plots side by side, and as a table of Markdown. */
import { MEASURE_NAMES, type MeasureName, measureNamed } from '../analysis/resource-measures.ts';
import type { ResourceFindings, ResourceTrend } from '../analysis/resources.ts';
import type { Results } from '../runner/results.ts';
import { formatNumber } from './axis.ts';
import { escapeHtml } from './escape.ts';
import { sparkline } from './sparkline.ts';
import { type Cell, htmlTable } from './table.ts';

/** The quarters that are compared. */
const BANDS = [
  [0.25, 0.5],
  [0.75, 1],
] as const;

/** By measure, as processes are to be compared with one another. */
export function resourceSection({ resources }: Results): string {
  if (resources === undefined || resources.processes.length === 0) return '';
  const tables = measuresIn(resources).map((measure) => {
    const { title, unit } = measureNamed(measure);
    const rows = rowsOf(resources, measure);
    const max = rows.reduce(
      (most, { trend }) =>
        trend.points.filter(Number.isFinite).reduce((high, point) => Math.max(high, point), most),
      0,
    );
    const scale = `0 to ${formatNumber(max)}${unit === '' ? '' : ` ${unit}`}`;
    return `<h3>${escapeHtml(capital(title))} <small>${escapeHtml(scale)}</small></h3>${htmlTable(
      ['', 'over the run', 'second quarter', 'last quarter', 'may grow by', ''],
      rows.map(({ name, trend }) => [
        name,
        {
          html: sparkline({ title: `${name}: ${title}, ${scale}`, ys: trend.points, max, bands: BANDS }),
        },
        formatNumber(trend.before),
        formatNumber(trend.after),
        trend.allowed === undefined ? '' : formatNumber(trend.allowed),
        verdictCell(trend),
      ]),
    )}`;
  });
  return `<h2>What the processes hold</h2>
<p>${escapeHtml(explanationOf(resources))}</p>
${tables.join('\n')}`;
}

export function resourceLines({ resources }: Results): string[] {
  if (resources === undefined || resources.processes.length === 0) return [];
  return [`- ${explanationOf(resources)}`];
}

/** `before → after`, a column for each measure that more than folders have, and one for these. */
export function resourceTable({ resources }: Results): string {
  if (resources === undefined || resources.processes.length === 0) return '';
  const measures = measuresIn(resources);
  const heads = measures.map((measure) => {
    const { title, unit } = measureNamed(measure);
    return unit === '' ? title : `${title}, ${unit}`;
  });
  const rows = resources.processes.map(({ name, trends }) => {
    const cells = measures.map((measure) => {
      const trend = trends.find((each) => each.measure === measure);
      return trend === undefined
        ? ''
        : `${formatNumber(trend.before)} → ${formatNumber(trend.after)}${markOf(trend)}`;
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return [
    `| second quarter → last | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '---:').join('|')}|`,
    ...rows,
  ].join('\n');
}

function explanationOf({
  durationSeconds,
  visibleLeakPerHour,
  violations,
  doubts,
}: ResourceFindings): string {
  const quarters = `Looked at over ${formatNumber(Math.round(durationSeconds))} s; the second quarter of them beside the last.`;
  if (visibleLeakPerHour === undefined) return `${quarters} Shown, and not judged.`;
  const verdict =
    violations.length > 0
      ? 'Not everything stayed flat.'
      : doubts.length > 0
        ? 'Not everything can be told.'
        : 'Everything stayed flat.';
  return `${quarters} ${verdict} A process that leaks less than ${formatNumber(visibleLeakPerHour)} MB an hour does not show in a run of this length.`;
}

function measuresIn({ processes }: ResourceFindings): readonly MeasureName[] {
  const measured = new Set(processes.flatMap(({ trends }) => trends.map(({ measure }) => measure)));
  return MEASURE_NAMES.filter((measure) => measured.has(measure));
}

function rowsOf({ processes }: ResourceFindings, measure: MeasureName) {
  return processes.flatMap(({ name, trends }) => {
    const trend = trends.find((each) => each.measure === measure);
    return trend === undefined ? [] : [{ name, trend }];
  });
}

function verdictCell({ outcome }: ResourceTrend): string | Cell {
  switch (outcome) {
    case 'flat':
      return { text: 'flat', holds: true };
    case 'grew':
      return { text: 'grew', holds: false };
    case 'unclear':
      return 'garbage or growth';
    case 'shown':
      return '';
    default:
      return outcome satisfies never;
  }
}

function markOf({ outcome }: ResourceTrend): string {
  return outcome === 'grew' ? ' **grew**' : outcome === 'unclear' ? ' (unclear)' : '';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
