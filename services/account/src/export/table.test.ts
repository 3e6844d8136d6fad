import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Cell, JsonText, type Row, toCsv, toJson } from './table.ts';

const tableOf = (columns: readonly string[], ...pages: readonly (readonly Row[])[]) => ({
  name: 'things',
  columns,
  async *pages() {
    yield* pages;
  },
});
const write = async (chunks: AsyncIterable<string>) => (await Array.fromAsync(chunks)).join('');

/** Parses a CSV by the grammar of RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    if (rows.length === 0) rows.push([]);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  rows.pop();
  return rows;
}

const cells: Row = [
  'a',
  1.5,
  true,
  new Date('2026-03-14T09:26:53Z'),
  new JsonText('{"n":12345678901234567890}'),
  undefined,
];

describe('a table', () => {
  it('becomes an array of objects in JSON, page by page', async () => {
    const columns = ['text', 'number', 'flag', 'at', 'json', 'nothing'];
    const json = await write(toJson(tableOf(columns, [cells], [], [cells])));
    const row =
      '{"text":"a","number":1.5,"flag":true,"at":"2026-03-14T09:26:53.000Z","json":{"n":12345678901234567890},"nothing":null}';
    assert.equal(json, `[\n${row},\n${row}\n]\n`);
    assert.equal(await write(toJson(tableOf(columns))), '[]\n');
  });

  it('becomes lines in CSV, after a header line', async () => {
    const csv = await write(toCsv(tableOf(['text', 'number', 'flag', 'at', 'json', 'nothing'], [cells])));
    assert.equal(
      csv,
      'text,number,flag,at,json,nothing\r\na,1.5,true,2026-03-14T09:26:53.000Z,"{""n"":12345678901234567890}",\r\n',
    );
  });

  for (const formula of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    '=HYPERLINK("https://evil.example","x")',
  ]) {
    it(`does not let a spreadsheet run ${JSON.stringify(formula)}`, async () => {
      const [, row] = readCsv(await write(toCsv(tableOf(['text'], [[formula]]))));
      assert.deepEqual(row, [`'${formula}`]);
    });
  }

  it('keeps a negative number as a number', async () => {
    assert.equal(await write(toCsv(tableOf(['n'], [[-1]]))), 'n\r\n-1\r\n');
  });

  it('leaves text unchanged or puts an apostrophe in front, and no cell begins like a formula', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'=+-@",\r\n\t\'a') }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text), { minLength: 1 }),
        async (rows: [Cell & string, Cell & string][]) => {
          const [, ...read] = readCsv(await write(toCsv(tableOf(['a', 'b'], rows))));
          assert.deepEqual(
            read,
            rows.map((row) => row.map((cell) => (/^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell))),
          );
          assert.ok(read.flat().every((cell) => !/^[=+\-@\t\r\n]/.test(cell)));
          const json = JSON.parse(await write(toJson(tableOf(['a', 'b'], rows)))) as {
            a: string;
            b: string;
          }[];
          assert.deepEqual(
            json.map(({ a, b }) => [a, b]),
            rows,
          );
        },
      ),
    );
  });
});
