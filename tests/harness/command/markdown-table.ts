export type Cell = string | number;

/** A Markdown table. Its first column is text; the others are numbers unless `align` says otherwise. */
export function markdownTable(
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  align: (column: number) => 'text' | 'number' = (column) => (column === 0 ? 'text' : 'number'),
): string {
  const rule = head.map((_, column) => (align(column) === 'text' ? '---' : '---:'));
  return [head, rule, ...rows].map(line).join('\n');
}

/** Cells may contain the output of programs. */
function line(cells: readonly Cell[]): string {
  const safe = cells.map((cell) => String(cell).replace(/\s+/g, ' ').replaceAll('|', '\\|'));
  return `| ${safe.join(' | ')} |`;
}
