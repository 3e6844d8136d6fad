import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageAlerts } from './usage-alerts.ts';

const usageOf = (minutesProcessed: number, minutesOverage = 0) => ({
  usage: {
    minutesProcessed,
    minutesIncluded: 500,
    minutesOverage,
    jobsCompleted: 1,
    jobsFailed: 0,
    jobsCanceled: 0,
    storageUsedBytes: 0,
  },
});
const limitOf = (amount: number | null, spent: number) => ({ amount, spent, currency: 'usd' });

test('no alert is shown below 80 percent or without a limit', () => {
  assert.deepEqual(usageAlerts(usageOf(399), limitOf(1_000, 799)), []);
  assert.deepEqual(usageAlerts(usageOf(0), limitOf(null, 5_000)), []);
  assert.deepEqual(usageAlerts(usageOf(0), limitOf(0, 0)), []);
});

test('80 percent of the minutes and all of the spend limit are two alerts', () => {
  assert.deepEqual(usageAlerts(usageOf(400), null), [
    { metric: 'minutes', percent: 80, used: 400, limit: 500 },
  ]);
  assert.deepEqual(usageAlerts(usageOf(550, 50), limitOf(100, 100)), [
    { metric: 'minutes', percent: 100, used: 500, limit: 500 },
    { metric: 'spend', percent: 100, used: 100, limit: 100 },
  ]);
});
