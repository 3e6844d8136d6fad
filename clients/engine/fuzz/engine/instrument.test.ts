import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { COUNTERS_NAME, instrument } from './instrument.ts';

/** Runs an instrumented script; returns its `result` and how often each branch was taken. */
function run(source: string): { readonly result: unknown; readonly counts: readonly number[] } {
  const { code, branchCount } = instrument(source, 0);
  const context = { result: undefined, [COUNTERS_NAME]: new Uint8Array(branchCount) };
  runInNewContext(code.replace(/^const .*?;/, ''), context);
  return { result: context.result, counts: [...context[COUNTERS_NAME]] };
}

const CASES: readonly (readonly [
  name: string,
  source: string,
  result: unknown,
  counts: readonly number[],
])[] = [
  [
    'if and else without braces',
    'if (1 > 2) result = 1; else if (2 > 1) result = 2; else result = 3',
    2,
    [0, 1, 1, 0],
  ],
  ['conditions', 'result = 0 ? 1 : 2', 2, [0, 1]],
  ['conditions in brackets', 'result = 1 ? ({ a: 1 }).a : (2, 3)', 1, [1, 0]],
  ['right sides', 'result = 0 || (1 && 2); result ??= 9', 2, [1, 1, 0]],
  ['loops', 'result = 0; for (const n of [1, 2, 3]) result += n; do result++; while (result < 9)', 9, [3, 3]],
  ['cases', 'switch (2) { case 1: case 2: result = 5; break; default: result = 6 }', 5, [1, 0]],
  ['functions', 'const f = (a) => ({ a }); function g() { return f(7).a } result = g()', 7, [1, 1]],
  ['catch blocks', 'try { throw 4 } catch (e) { result = e }', 4, [1]],
  ['no semicolon at the end', 'if (true) result = 0 || 1', 1, [1, 1]],
];

for (const [name, source, result, counts] of CASES) {
  test(`${name}: the same result, and every branch counted`, () => {
    assert.deepEqual(run(source), { result, counts });
  });
}

test('lines keep their position, and modules do not share counters', () => {
  const source =
    'export async function f() {\n  await using x = y;\n  for (const a of b)\n    if (a) return;\n}\n';
  const { code, branchCount } = instrument(source, 40);
  assert.equal(code.split('\n').length, source.split('\n').length);
  assert.equal(branchCount, 3);
  assert.match(code, /\[40\]\+\+.*\n.*\n.*\[41\]\+\+|\[41\]/);
  assert.doesNotMatch(code, /\[(0|39|43)\]/);
});
