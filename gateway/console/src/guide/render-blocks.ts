/** Code and tables may be wider than the page. They scroll, also by keyboard. */
import type { CodeBlock } from './code-blocks.ts';
import { escapeHtml } from './escape-html.ts';
import { highlight } from './highlight.ts';

const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'Node.js',
  py: 'Python',
  go: 'Go',
};

/** `section` is the heading above, for screen readers. */
export function renderCode({ language, role, fileName, text }: CodeBlock, section: string): string {
  const languageName = LANGUAGE_NAMES[language] ?? language;
  const name = fileName ?? (role === 'run' ? languageName : 'Output');
  const label = escapeHtml(`${name}, ${section}`);
  const note = fileName === undefined ? '' : `<span>${languageName}</span>`;
  const copy = `<button type="button" class="copy" aria-label="Copy ${label}" hidden>Copy</button>`;
  return `<figure class="code code-${role}">
<figcaption><b>${name}</b>${note}${role === 'run' ? copy : ''}</figcaption>
<div class="code-text" role="group" tabindex="0" aria-label="${label}"><pre><code>${highlight(text, language)}</code></pre></div>
</figure>
`;
}

/** Cells are HTML. A head with empty cells is left out. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  section: string,
): string {
  const row = (cells: readonly string[]) => `<tr>${cells.join('')}</tr>`;
  const headCells = head.map((cell) => (cell === '' ? '<td></td>' : `<th scope="col">${cell}</th>`));
  const thead = head.every((cell) => cell === '') ? '' : `<thead>${row(headCells)}</thead>`;
  const tbody = rows.map((cells) => row(cells.map((cell) => `<td>${cell}</td>`))).join('\n');
  return `<div class="table" role="group" tabindex="0" aria-label="Table, ${escapeHtml(section)}">
<table>${thead}<tbody>${tbody}</tbody></table>
</div>
`;
}
