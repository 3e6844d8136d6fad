import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, figureOf, textOf } from './figures.ts';

test('figures are entered and shown in readable units', () => {
  assert.equal(figureOf('maxFileSizeBytes', '100'), 104_857_600);
  assert.equal(figureOf('pricePerMonthCents', '199.99'), 19_999);
  assert.equal(figureOf('overageMillicentsPerMinute', '0.008'), 800);
  assert.equal(figureOf('requestsPerMinute', ''), null);
  assert.equal(textOf('pricePerMonthCents', 19_900), '199');
  assert.equal(textOf('overageMillicentsPerMinute', 800), '0.008');
  assert.equal(describe('maxFileSizeBytes', 104_857_600), '100 MiB (105 MB)');
  assert.equal(describe('overageMillicentsPerMinute', null), 'not offered');
});

test('a value that is not a whole number of the smallest unit is rejected', () => {
  for (const [figure, text] of [
    ['requestsPerMinute', '1.5'],
    ['pricePerMonthCents', '1.005'],
    ['maxFileSizeBytes', 'a lot'],
    ['concurrentJobs', '-1'],
  ] as const) {
    assert.equal(figureOf(figure, text), undefined, `${figure} ${text}`);
  }
});
