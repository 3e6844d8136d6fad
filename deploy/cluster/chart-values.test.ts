import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untestedValues } from './chart-values.ts';

const DEFAULTS = { image: { tag: '', labels: {} }, replicas: 2, ports: [80] };

test('values are tested where a suite or one of its tests sets them', () => {
  assert.deepEqual(
    untestedValues(DEFAULTS, [
      { set: { replicas: 3 }, tests: [] },
      { tests: [{}, { set: { image: { tag: '1', labels: { a: 'b' } } } }, { set: { ports: [] } }] },
    ]),
    [],
  );
});

test('what no test sets is named', () => {
  const suites = [{ tests: [{ set: { image: { labels: { a: 'b' } }, ports: [8080] } }] }];
  assert.deepEqual(untestedValues(DEFAULTS, suites), ['image.tag', 'replicas']);
});
