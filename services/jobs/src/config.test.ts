import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { readJobsConfig } from './config.ts';

const DAY_MS = 86_400_000;

// Covers D-2.42
test('segments are kept for seven days unless another number of days is set', () => {
  assert.equal(readJobsConfig({}).segmentRetentionMs, 7 * DAY_MS);
  assert.equal(readJobsConfig({ SEGMENT_RETENTION_DAYS: '2' }).segmentRetentionMs, 2 * DAY_MS);
});

for (const [variable, value] of [
  ['SEGMENT_RETENTION_DAYS', '0'],
  ['JOB_LEASE_SECONDS', '2'],
  ['JOB_WALL_CLOCK_LIMIT_SECONDS', '1h'],
  ['JOB_REAP_EVERY_SECONDS', '61'],
  ['DATABASE_MAX_CONNECTIONS', '1'],
] as const) {
  test(`rejected with the name of the variable: ${variable}=${value}`, () => {
    assert.throws(
      () => readJobsConfig({ [variable]: value }),
      (error) => error instanceof ConfigError && error.variable === variable,
    );
  });
}
