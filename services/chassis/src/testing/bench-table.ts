/** One line of a report. */
export interface Row {
  readonly measure: string;
  readonly cells: readonly string[];
  readonly goal: string;
  /** Undefined: there is no goal. */
  readonly isMet: boolean | undefined;
}

/** Each row's verdict in its last column. */
export function formatRows(titles: readonly string[], rows: readonly Row[]): string {
  return formatTable(
    ['', ...titles, 'goal', ''],
    rows.map(({ measure, cells, goal, isMet }) => [
      measure,
      ...titles.map((_, column) => cells[column] ?? ''),
      goal,
      verdictOf(isMet),
    ]),
  );
}

export function verdictOf(isMet: boolean | undefined): string {
  return isMet === undefined ? '' : isMet ? 'met' : 'NOT MET';
}

/** A table for terminals and Markdown alike. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

export function formatMs(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms.toFixed(2);
}
