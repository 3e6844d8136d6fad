import { escapeHtml } from './escape.ts';

/** Markup that is put in as it is. */
export interface Drawing {
  readonly html: string;
}

export interface Cell {
  readonly text: string;
  /** Coloured as a verdict. */
  readonly holds?: boolean;
}

export function htmlTable(
  head: readonly string[],
  rows: readonly (readonly (string | Cell | Drawing)[])[],
): string {
  const cells = rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`);
  return `<div class="wide"><table><thead><tr>${head.map((text) => `<th>${escapeHtml(text)}</th>`).join('')}</tr></thead><tbody>${cells.join('')}</tbody></table></div>`;
}

function cellOf(cell: string | Cell | Drawing): string {
  if (typeof cell === 'string') return `<td>${escapeHtml(cell)}</td>`;
  if ('html' in cell) return `<td>${cell.html}</td>`;
  const { text, holds } = cell;
  const verdict = holds === undefined ? '' : ` class="${holds ? 'holds' : 'fails'}"`;
  return `<td${verdict}>${escapeHtml(text)}</td>`;
}
