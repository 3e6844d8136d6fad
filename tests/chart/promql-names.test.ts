import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNames } from './promql-names.ts';

test('names of metrics and labels, and nothing else', () => {
  assert.deepEqual(
    readNames(
      'histogram_quantile(0.99, sum by (le, route) (rate(a_bucket{ns=~"x|y", code!="ok"}[$__rate_interval]))) > 2 * bool_b offset 5m',
    ),
    {
      selectors: [
        {
          metric: 'a_bucket',
          matchers: [
            { label: 'ns', operator: '=~', value: 'x|y' },
            { label: 'code', operator: '!=', value: 'ok' },
          ],
        },
        { metric: 'bool_b', matchers: [] },
      ],
      groupings: ['le', 'route'],
    },
  );
  assert.deepEqual(
    readNames('max(a) / sum(b) > bool 4 unless on (instance) c{}').selectors.map(({ metric }) => metric),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(readNames('x:y:ratio_rate5m > 14.4 * 0.001 or vector(0)'), {
    selectors: [{ metric: 'x:y:ratio_rate5m', matchers: [] }],
    groupings: [],
  });
});

for (const expression of ['a{b}', 'a{b="c"', 'a[5m', 'a ; b', 'a{b=c}']) {
  test(`not understood: ${expression}`, () => {
    assert.throws(() => readNames(expression), SyntaxError);
  });
}
