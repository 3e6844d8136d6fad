/** Plans, usage and the profile. */
import assert from 'node:assert/strict';
import { register, registerWithKey } from './account.ts';
import {
  assertRateLimitHeaders,
  assertRefused,
  assertStatus,
  call,
  completeJob,
  createJob,
  sampleUrl,
} from './api.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();

interface Plan {
  readonly id: string;
  readonly name: string;
  readonly monthlyMinutes: number;
  readonly maxFileSize: number;
  readonly pricePerMonth: number;
  readonly currency: string;
}

interface Usage {
  readonly period: { readonly start: string; readonly end: string };
  readonly usage: Record<string, number>;
  readonly cost: Record<string, unknown>;
}

scenario('anyone may look at the plans', {}, async () => {
  const { data } = assertStatus(
    await call<{ data: readonly Plan[] }>(await product(), 'GET /api/v1/plans'),
    200,
  );
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

scenario('a new account is on the Free plan', { covers: ['GET /api/v1/billing'] }, async () => {
  const running = await product();
  const { accessToken } = await register(running);
  const answer = await call<{ plan: Plan; subscription: unknown; paymentMethod: unknown }>(
    running,
    'GET /api/v1/billing',
    { accessToken },
  );
  const { plan, subscription, paymentMethod } = assertStatus(answer, 200);
  assert.equal(plan.id, 'plan_free');
  assert.deepEqual([plan.monthlyMinutes, plan.maxFileSize, plan.pricePerMonth], [60, 100 * 2 ** 20, 0]);
  assert.deepEqual({ subscription, paymentMethod }, { subscription: null, paymentMethod: null });
  assertRateLimitHeaders(answer, 10);
  assertRefused(await call(running, 'GET /api/v1/billing'), 401, 'UNAUTHORIZED');
});

scenario(
  'a completed job shows in the usage, in minutes that have begun',
  { covers: ['GET /api/v1/billing/usage'] },
  async () => {
    const running = await product();
    const { session, apiKey } = await registerWithKey(running);
    const { accessToken } = session;
    const readUsage = async () =>
      assertStatus(await call<Usage>(running, 'GET /api/v1/billing/usage', { accessToken }), 200);
    const before = await readUsage();
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

    const wish = { sourceUrl: sampleUrl(running), splitMode: 'duration', segmentDuration: 20 };
    const { id } = await createJob(running, wish, { apiKey });
    const { segments } = await completeJob({ ...running, apiKey }, id);
    let after = await readUsage();
    for (let tries = 0; after.usage.jobsCompleted === 0 && tries < 3; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      after = await readUsage();
    }
    assert.equal(after.usage.jobsCompleted, 1);
    assert.equal(after.usage.minutesProcessed, 1);
    assert.equal(
      after.usage.storageUsedBytes,
      segments.reduce((sum, { size }) => sum + size, 0),
    );
  },
);

scenario(
  'usage is asked for by a period that exists',
  { covers: ['GET /api/v1/billing/usage'] },
  async () => {
    const running = await product();
    const { accessToken } = await register(running);
    const thisMonth = new Date().toISOString().slice(0, 7);
    for (const period of ['current', 'previous', thisMonth]) {
      const answer = await call<Usage>(running, `GET /api/v1/billing/usage?period=${period}`, {
        accessToken,
      });
      assertStatus(answer, 200);
    }
    for (const period of ['next', '2026-13', '2026']) {
      const refused = await call(running, `GET /api/v1/billing/usage?period=${period}`, { accessToken });
      assertRefused(refused, 400, 'INVALID_PARAMS');
    }
  },
);

scenario('the profile is that of the token', {}, async () => {
  const running = await product();
  const { accessToken, account } = await register(running);
  const profile = await call<{ id: string; email: string }>(running, 'GET /api/v1/account', { accessToken });
  const { id, email } = assertStatus(profile, 200);
  assert.deepEqual({ id, email }, { id: account.id, email: account.email });
});
