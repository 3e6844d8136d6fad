/** Plans, usage and the profile. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResponseInfo } from '@audiosplit/client';
import {
  assertRateLimitHeaders,
  assertRefuses,
  connect,
  register,
  registerWithKey,
  sampleBy,
} from './api.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

// Covers D-3.12 D-3.11 I-2.4.1 I-8.17
scenario('the plans are public', {}, async (product) => {
  const { data } = await connect(product).listPlans();
  const terms = data.map((each) => [each.id, each.monthlyMinutes, each.maxFileSize, each.pricePerMonth]);
  assert.deepEqual(terms.slice(-3), [
    ['plan_starter', 500, 500 * 2 ** 20, 900],
    ['plan_pro', 5_000, 2 ** 31, 4_900],
    ['plan_enterprise', 50_000, 10 * 2 ** 30, 29_900],
  ]);
  for (const { currency } of data) assert.equal(currency, 'usd');
});

// Covers D-9.4 D-3.6
scenario('a new account is on the Free plan', { covers: ['GET /api/v1/billing'] }, async (product) => {
  const { client } = await register(product);
  const answers: ResponseInfo[] = [];
  const { plan, subscription, paymentMethod } = await client.getBilling({
    onResponse: (answer) => answers.push(answer),
  });
  assert.equal(plan.id, 'plan_free');
  assert.deepEqual([plan.monthlyMinutes, plan.maxFileSize, plan.pricePerMonth], [60, 100 * 2 ** 20, 0]);
  assert.deepEqual({ subscription, paymentMethod }, { subscription: null, paymentMethod: null });
  assert.equal(answers.length, 1);
  for (const answer of answers) assertRateLimitHeaders(answer, 10);
  await assertRefuses(connect(product).getBilling(), 401, 'UNAUTHORIZED');
});

// Covers I-2.8.5 D-3.17 D-9.31
scenario(
  'a completed job is counted in the usage, in started minutes',
  { covers: ['GET /api/v1/billing/usage'] },
  async (product) => {
    const { client } = await registerWithKey(product);
    const before = await client.getUsage();
    assert.deepEqual(before.usage, {
      minutesProcessed: 0,
      minutesIncluded: 60,
      minutesOverage: 0,
      jobsCompleted: 0,
      jobsFailed: 0,
      jobsCanceled: 0,
      storageUsedBytes: 0,
    });
    assert.deepEqual(before.cost, { basePlan: 0, overage: 0, total: 0, currency: 'usd' });
    assert.ok(Date.parse(before.period.start) <= Date.now() && Date.parse(before.period.end) > Date.now());

    const { id } = await client.createSplit(sampleBy(product, 20));
    const { segments } = await client.waitForJob(id);
    let after = await client.getUsage();
    for (let tries = 0; after.usage.jobsCompleted === 0 && tries < 3; tries++) {
      await sleep(1_000);
      after = await client.getUsage();
    }
    assert.equal(after.usage.jobsCompleted, 1);
    assert.equal(after.usage.minutesProcessed, 1);
    const storedBytes = segments.reduce((sum, { size }) => sum + size, 0);
    assert.equal(after.usage.storageUsedBytes, storedBytes);
  },
);

// Covers D-6.7
scenario('the profile belongs to the token', {}, async (product) => {
  const { client, account } = await register(product);
  const { id, email } = await client.getAccount();
  assert.deepEqual({ id, email }, { id: account.id, email: account.email });
});
