import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { LIMITER_DEGRADED, OUTBOX_STUCK } from './alert-conditions.ts';

const rules = readFileSync(
  resolve(import.meta.dirname, '../../../charts/audiosplit/rules/saturation.yaml'),
  'utf8',
);

for (const { alert, expr, threshold } of [LIMITER_DEGRADED, OUTBOX_STUCK]) {
  test(`${alert} matches the chart`, () => {
    const [, ofChart = ''] = new RegExp(`alert: ${alert}\\n +expr: >-\\n +(.*)\\n`).exec(rules) ?? [];
    assert.equal(expr, ofChart);
    assert.ok(expr.endsWith(` > ${threshold}`));
  });
}

test('a condition sums up all processes', () => {
  const pages = [
    'audiosplit_rate_limiter_degraded 1\naudiosplit_rate_limiter_degraded_calls_total 7\n',
    'audiosplit_rate_limiter_degraded 1\naudiosplit_outbox_oldest_age_seconds{schema="jobs"} 61.5\n',
    'audiosplit_outbox_oldest_age_seconds{schema="auth"} 3\n',
  ];
  assert.equal(LIMITER_DEGRADED.value(pages), 2);
  assert.equal(OUTBOX_STUCK.value(pages), 61.5);
  assert.equal(OUTBOX_STUCK.value([]), 0);
});
