/** Tables as JSON and CSV, streamed page by page. */
export interface Table {
  /** The file's name without extension. */
  readonly name: string;
  readonly columns: readonly string[];
  pages(): AsyncIterable<readonly Row[]>;
}

export type Row = readonly Cell[];
/** Undefined: no value. */
export type Cell = string | number | boolean | Date | JsonText | undefined;

/** JSON that is copied unparsed, because JavaScript's numbers cannot hold every number in it. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An array of objects. */
export async function* toJson({ columns, pages }: Table): AsyncGenerator<string> {
  const names = columns.map((column) => JSON.stringify(column));
  let separator = '[\n';
  for await (const page of pages()) {
    if (page.length === 0) continue;
    const objects = page.map((row) => `{${row.map((cell, n) => `${names[n]}:${cellToJson(cell)}`).join()}}`);
    yield separator + objects.join(',\n');
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

function cellToJson(cell: Cell): string {
  if (cell === undefined) return 'null';
  return cell instanceof JsonText ? cell.text : JSON.stringify(cell);
}

/** RFC 4180, with a header line. */
export async function* toCsv({ columns, pages }: Table): AsyncGenerator<string> {
  yield toLine(columns);
  for await (const page of pages()) {
    if (page.length > 0) yield page.map(toLine).join('');
  }
}

function toLine(row: Row): string {
  return `${row.map(cellToCsv).join()}\r\n`;
}

/**
 * Spreadsheets run a cell with such a beginning as a formula, even if quoted. A leading apostrophe prevents that
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cellToCsv(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  const text = textOf(cell);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function textOf(cell: string | Date | JsonText): string {
  if (typeof cell === 'string') return cell;
  return cell instanceof Date ? cell.toISOString() : cell.text;
}
