/** Data as rows of cells, and the two ways to write them down. A page at a time, whatever there is of it. */
export interface Table {
  /** Of its file, without the ending. */
  readonly name: string;
  readonly columns: readonly string[];
  pages(): AsyncIterable<readonly Row[]>;
}

export type Row = readonly Cell[];
/** Undefined where there is nothing to say. */
export type Cell = string | number | boolean | Date | JsonText | undefined;

/** JSON that is passed on as it stands: parsing would lose what JavaScript's numbers cannot hold. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** One array of objects. */
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

/** RFC 4180, with a line of names on top. */
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
 * Spreadsheets run a cell that begins like this as a formula, quoted or not; an apostrophe in front has them show it
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
