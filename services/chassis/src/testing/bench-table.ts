/** One line of a report. */
export interface Row {
  readonly measure: string;
  readonly cells: readonly string[];
  readonly goal: string;
  /** Undefined: there is no goal. */
  readonly isMet: boolean | undefined;
}

/** A table for terminals and Markdown alike. */
export function formatTable(titles: readonly string[], rows: readonly Row[]): string {
  const lines = [
    ['', ...titles, 'goal', ''],
    ...rows.map(({ measure, cells, goal, isMet }) => [
      measure,
      ...titles.map((_, column) => cells[column] ?? ''),
      goal,
      isMet === undefined ? '' : isMet ? 'met' : 'NOT MET',
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const [header = '', ...body] = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [header, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n');
}

export function formatMs(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms.toFixed(2);
}
