/** Plans, usage and the profile. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResponseInfo } from '@audiosplit/client';
import {
  assertRateLimitHeaders,
  assertRefused,
  assertRefuses,
  call,
  completeJob,
  connect,
  createJob,
  register,
  registerWithKey,
  sampleBy,
} from './api.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();

// Covers D-3.12 D-3.11 I-2.4.1 I-8.17
scenario('anyone may look at the plans', {}, async () => {
  const { data } = await connect(await product()).listPlans();
  const terms = data.map(({ id, monthlyMinutes, maxFileSize, pricePerMonth, currency }) => ({
    id,
    terms: [monthlyMinutes, maxFileSize, pricePerMonth, currency],
  }));
  assert.deepEqual(terms.slice(-3), [
    { id: 'plan_starter', terms: [500, 500 * 2 ** 20, 900, 'usd'] },
    { id: 'plan_pro', terms: [5_000, 2 ** 31, 4_900, 'usd'] },
    { id: 'plan_enterprise', terms: [50_000, 10 * 2 ** 30, 29_900, 'usd'] },
  ]);
});

// Covers D-9.4 D-3.6
scenario('a new account is on the Free plan', { covers: ['GET /api/v1/billing'] }, async () => {
  const running = await product();
  const { accessToken } = await register(running);
  const answers: ResponseInfo[] = [];
  const { plan, subscription, paymentMethod } = await connect(running, { accessToken }).getBilling({
    onResponse: (answer) => answers.push(answer),
  });
  assert.equal(plan.id, 'plan_free');
  assert.deepEqual([plan.monthlyMinutes, plan.maxFileSize, plan.pricePerMonth], [60, 100 * 2 ** 20, 0]);
  assert.deepEqual({ subscription, paymentMethod }, { subscription: null, paymentMethod: null });
  assert.equal(answers.length, 1);
  for (const answer of answers) assertRateLimitHeaders(answer, 10);
  await assertRefuses(connect(running).getBilling(), 401, 'UNAUTHORIZED');
});

// Covers I-2.8.5 D-3.17 D-9.31
scenario(
  'a completed job shows in the usage, in minutes that have begun',
  { covers: ['GET /api/v1/billing/usage'] },
  async () => {
    const running = await product();
    const { session, apiKey } = await registerWithKey(running);
    const { accessToken } = session;
    const client = connect(running, { accessToken });
    const before = await client.getUsage();
    assert.deepEqual(before.usage, {
      minutesProcessed: 0,
      minutesIncluded: 60,
      minutesOverage: 0,
      jobsCompleted: 0,
      jobsFailed: 0,
      storageUsedBytes: 0,
    });
    assert.deepEqual(before.cost, { basePlan: 0, overage: 0, total: 0, currency: 'usd' });
    assert.ok(Date.parse(before.period.start) <= Date.now() && Date.parse(before.period.end) > Date.now());

    const owner = { ...running, apiKey };
    const { id } = await createJob(owner, sampleBy(running, 20));
    const { segments } = await completeJob(owner, id);
    let after = await client.getUsage();
    for (let tries = 0; after.usage.jobsCompleted === 0 && tries < 3; tries++) {
      await sleep(1_000);
      after = await client.getUsage();
    }
    assert.equal(after.usage.jobsCompleted, 1);
    assert.equal(after.usage.minutesProcessed, 1);
    assert.equal(
      after.usage.storageUsedBytes,
      segments.reduce((sum, { size }) => sum + size, 0),
    );
  },
);

// Covers I-4.14.1 D-7.2
scenario(
  'usage is asked for by a period that exists',
  { covers: ['GET /api/v1/billing/usage'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    const thisMonth = new Date().toISOString().slice(0, 7);
    for (const period of ['current', 'previous', thisMonth]) {
      assert.ok((await connect(running, { accessToken }).getUsage({ period })).period.start);
    }
    for (const period of ['next', '2026-13', '2026']) {
      const refused = await call(running, `GET /api/v1/billing/usage?period=${period}`, { accessToken });
      assertRefused(refused, 400, 'INVALID_PARAMS');
    }
  },
);

// Covers D-6.7
scenario('the profile is that of the token', {}, async () => {
  const running = await product();
  const { accessToken, account } = await register(running);
  const { id, email } = await connect(running, { accessToken }).getAccount();
  assert.deepEqual({ id, email }, { id: account.id, email: account.email });
});
