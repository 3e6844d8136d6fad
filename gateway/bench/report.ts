export interface Bench {
  /** Per measured run. */
  readonly requests: number;
  /** Runs of each measure, in turn. */
  readonly rounds: number;
  /** Undefined: limits are counted in memory, and the limiter on Redis is not measured. */
  readonly redisUrl: string | undefined;
  /** Reports progress. */
  readonly progress: (line: string) => void;
}

/** One line of the table. */
export interface Row {
  readonly measure: string;
  readonly figure: string;
  readonly ratio: string;
  readonly goal: string;
  /** Undefined: no goal. */
  readonly isMet: boolean | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** A Markdown table, aligned for terminals. */
export function formatTable(rows: readonly Row[]): string {
  const cells = [
    ['measure', 'figure', 'ratio', 'goal', ''],
    ...rows.map(({ measure, figure, ratio, goal, isMet }) => [measure, figure, ratio, goal, verdict(isMet)]),
  ];
  const [header = [], ...body] = cells;
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(header), rule, ...body.map(line)].join('\n');
}

function verdict(isMet: boolean | undefined): string {
  if (isMet === undefined) return '';
  return isMet ? 'met' : 'NOT MET';
}
