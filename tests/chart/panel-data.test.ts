import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAsked, toInputSeries } from './panel-data.ts';

test('pages become series of a target, with gaps where they have none', () => {
  const pages = [
    '# TYPE a counter\na 1\nb{le="0.5",x="y z"} 2e-7\nc NaN\n',
    'a 3\nb{le="0.5",x="y z"} +Inf\n',
  ];
  assert.deepEqual(toInputSeries(pages), [
    { series: 'a{namespace="audiosplit",instance="product"}', values: '1.000000000 3.000000000' },
    {
      series: 'b{namespace="audiosplit",instance="product",le="0.5",x="y z"}',
      values: '0.000000200 _',
    },
  ]);
});

test('variables of a dashboard are put in', () => {
  assert.equal(
    asAsked('rate(a{namespace=~"$namespace"}[$__rate_interval])', 3),
    'rate(a{namespace=~".*"}[3m])',
  );
});
