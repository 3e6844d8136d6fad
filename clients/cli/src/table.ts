/** Columns of equal width; the last one needs none. */
export function alignColumns(
  lines: readonly (readonly string[])[],
  pad: (cell: string, width: number) => string = (cell, width) => cell.padEnd(width),
): string {
  const columns = lines[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line.map((cell, column) => (column === columns - 1 ? cell : pad(cell, widths[column] ?? 0))).join('  '),
    )
    .join('\n');
}
