/** The resources of processes, as a Markdown table. */

import { markdownTable } from '../../tests/harness/command/markdown-table.ts';
import { MEASURE_NAMES, type MeasureName, measureNamed } from '../analysis/resource-measures.ts';
import type { ResourceFindings, ResourceTrend } from '../analysis/resources.ts';
import type { Results } from '../runner/results.ts';
import { formatNumber } from './numbers.ts';

export function resourceLines({ resources }: Results): string[] {
  return resources?.processes.length ? [`- ${explanationOf(resources)}`] : [];
}

/** `before → after`: a column for each measure of processes, and one for the folders' measures. */
export function resourceTable({ resources }: Results): string {
  if (!resources?.processes.length) return '';
  const measures = measuresIn(resources);
  const heads = measures.map((measure) => {
    const { title, unit } = measureNamed(measure);
    return unit === '' ? title : `${title}, ${unit}`;
  });
  const rows = resources.processes.map(({ name, trends }) => {
    const cells = measures.map((measure) => describeTrend(trends.find((each) => each.measure === measure)));
    return [name, ...cells];
  });
  return markdownTable(['second quarter → last', ...heads], rows);
}

function explanationOf(findings: ResourceFindings): string {
  const { durationSeconds, visibleLeakPerHour, violations, doubts } = findings;
  const quarters = `Sampled over ${formatNumber(Math.round(durationSeconds))} s; the second quarter is compared with the last.`;
  if (visibleLeakPerHour === undefined) return `${quarters} Shown, and not judged.`;
  const verdict =
    violations.length > 0
      ? 'Not everything stayed flat.'
      : doubts.length > 0
        ? 'Not everything can be judged.'
        : 'Everything stayed flat.';
  return `${quarters} ${verdict} A process that leaks less than ${formatNumber(visibleLeakPerHour)} MB an hour does not show in a run of this length.`;
}

function measuresIn({ processes }: ResourceFindings): readonly MeasureName[] {
  const measured = new Set(processes.flatMap(({ trends }) => trends.map(({ measure }) => measure)));
  return MEASURE_NAMES.filter((measure) => measured.has(measure));
}

function describeTrend(trend: ResourceTrend | undefined): string {
  if (trend === undefined) return '';
  const mark = { grew: ' **grew**', unclear: ' (unclear)', flat: '', shown: '' }[trend.outcome];
  return `${formatNumber(trend.before)} → ${formatNumber(trend.after)}${mark}`;
}
