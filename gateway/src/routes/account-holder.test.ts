import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import {
  AT,
  account,
  at,
  card,
  delivery,
  invoice,
  LATER,
  later,
  onePage,
  plan,
  session,
  shownAccount,
  shownDelivery,
  shownInvoice,
  shownPlan,
  shownSession,
  startedExport,
  subscription,
} from './account-holder.fixture.ts';

describe('routes for account holders', () => {
  let refusal: Reason | undefined;
  let received: Record<string, unknown>;
  const answer =
    <T>(value: T) =>
    (request: object) => {
      received = { ...request };
      if (refusal !== undefined) throw new ServiceError(refusal, 'Refused.', { retryAfterSeconds: 9 });
      return value;
    };

  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        auth: {
          register: answer({ session }),
          login: answer({ session }),
          refreshSession: answer({ session }),
          logout: answer({}),
        },
        account: {
          getAccount: answer({ account }),
          deleteAccount: answer({ deletionScheduledAt: later }),
          restoreAccount: answer({ account: { ...account, deletionScheduledAt: later } }),
          createExport: answer({ export: startedExport }),
          listExports: answer({ exports: [startedExport], total: 1n }),
          getExport: answer({
            export: {
              ...startedExport,
              status: 'completed',
              objectKey: 'exports/exp_1/export.zip',
              sizeBytes: 9n,
              sha256: 'abc',
              expiresAt: later,
            },
          }),
        },
        billing: {
          listPlans: answer({ plans: [plan] }),
          getBillingInfo: answer({ plan }),
          subscribe: answer({ subscription }),
          changePlan: answer({
            subscription,
            proration: { amountCents: 123n, currency: 'usd', description: 'Rest of the period' },
          }),
          cancelSubscription: answer({ subscription: { ...subscription, cancelAtPeriodEnd: true } }),
          setPaymentMethod: answer({ paymentMethod: card }),
          deletePaymentMethod: answer({}),
          listInvoices: answer({
            invoices: [invoice],
            total: 1n,
          }),
          payInvoice: answer({ invoice }),
          getSpendLimit: answer({ spendLimit: { amountCents: 9000n, currency: 'usd', spentCents: 12n } }),
          setSpendLimit: answer({ spendLimit: { currency: 'usd', spentCents: 12n } }),
          getUsage: answer({
            periodStart: at,
            periodEnd: later,
            minutesProcessed: 7n,
            minutesIncluded: 5000n,
            storageUsedBytes: 5_000_000_000n,
            basePlanCents: 4900n,
            totalCents: 4900n,
            currency: 'usd',
          }),
        },
        webhooks: {
          getSecret: answer({ secret: 'whsec_a' }),
          rotateSecret: answer({ secret: 'whsec_b' }),
          listDeliveries: answer({ deliveries: [delivery], total: 1n }),
          replayDelivery: answer({ delivery }),
        },
      },
    }),
  );
  beforeEach(() => {
    refusal = undefined;
    received = {};
  });
  const send = (route: string, json?: unknown) => {
    const [method = '', path = ''] = route.split(' ');
    return gateway.call(`/api/v1${path}`, { method, json });
  };
  /** Links differ in every response. */
  const withoutLinks = (body: unknown) =>
    JSON.parse(
      JSON.stringify(body, (name, value) =>
        /Url$/.test(name) && /\/downloads\//.test(value) ? 'link' : value,
      ),
    );

  const credentials = { email: 'a@example.com', password: 'correct horse battery' };
  const summary = { status: 'active', currentPeriodStart: AT, currentPeriodEnd: LATER };
  for (const [route, json, status, body] of [
    ['POST /auth/register', { ...credentials, name: 'A' }, 201, shownSession],
    ['POST /auth/login', credentials, 200, shownSession],
    ['POST /auth/refresh', { refreshToken: 'rt' }, 200, shownSession],
    ['GET /account', undefined, 200, shownAccount],
    ['POST /account/restore', undefined, 200, { ...shownAccount, deletionScheduledAt: LATER }],
    [
      'DELETE /account',
      { confirmation: 'DELETE MY ACCOUNT' },
      200,
      { message: `All data of this account is removed by ${LATER}.`, deletionScheduledAt: LATER },
    ],
    [
      'POST /account/export',
      undefined,
      202,
      {
        exportId: 'exp_1',
        status: 'processing',
        format: 'json',
        estimatedCompletionAt: LATER,
        message: 'Your data is being gathered; you will be told when the export is ready.',
      },
    ],
    [
      'GET /account/exports',
      undefined,
      200,
      {
        data: [
          {
            exportId: 'exp_1',
            status: 'processing',
            format: 'json',
            createdAt: AT,
            estimatedCompletionAt: LATER,
          },
        ],
        pagination: onePage,
      },
    ],
    [
      'GET /account/exports/exp_1',
      undefined,
      200,
      {
        exportId: 'exp_1',
        status: 'completed',
        format: 'json',
        createdAt: AT,
        estimatedCompletionAt: LATER,
        downloadUrl: 'link',
        expiresAt: LATER,
        sizeBytes: 9,
        sha256: 'abc',
      },
    ],
    ['GET /plans', undefined, 200, { data: [shownPlan] }],
    ['GET /billing', undefined, 200, { plan: shownPlan, subscription: null, paymentMethod: null }],
    [
      'POST /billing/subscribe',
      { planId: 'plan_pro' },
      201,
      { subscription: { id: 'sub_1', planId: 'plan_pro', ...summary } },
    ],
    [
      'POST /billing/change-plan',
      { planId: 'plan_pro' },
      200,
      {
        subscription: { id: 'sub_1', planId: 'plan_pro', status: 'active', currentPeriodEnd: LATER },
        proration: { amount: 123, currency: 'usd', description: 'Rest of the period' },
        message: 'You are on plan_pro from now on.',
      },
    ],
    [
      'POST /billing/cancel',
      undefined,
      200,
      {
        subscription: { id: 'sub_1', status: 'active', cancelAtPeriodEnd: true, currentPeriodEnd: LATER },
        message: `Your subscription ends on ${LATER}; until then nothing changes.`,
      },
    ],
    ['PUT /billing/payment-method', { token: 'tok_visa' }, 200, card],
    [
      'GET /billing/invoices',
      undefined,
      200,
      {
        data: [shownInvoice],
        pagination: onePage,
      },
    ],
    ['POST /billing/invoices/inv_1/pay', undefined, 200, shownInvoice],
    ['GET /billing/spend-limit', undefined, 200, { amount: 9000, currency: 'usd', spent: 12 }],
    ['PUT /billing/spend-limit', { amount: null }, 200, { amount: null, currency: 'usd', spent: 12 }],
    [
      'GET /billing/usage',
      undefined,
      200,
      {
        period: { start: AT, end: LATER },
        usage: {
          minutesProcessed: 7,
          minutesIncluded: 5000,
          minutesOverage: 0,
          jobsCompleted: 0,
          jobsFailed: 0,
          jobsCanceled: 0,
          storageUsedBytes: 5_000_000_000,
        },
        cost: { basePlan: 4900, overage: 0, total: 4900, currency: 'usd' },
      },
    ],
    ['GET /webhooks/secret', undefined, 200, { secret: 'whsec_a' }],
    ['POST /webhooks/secret/rotate', undefined, 200, { secret: 'whsec_b' }],
    ['GET /webhooks/deliveries', undefined, 200, { data: [shownDelivery], pagination: onePage }],
    ['POST /webhooks/deliveries/dlv_1/replay', undefined, 202, shownDelivery],
  ] as const) {
    // Covers I-4.7.2 I-4.8.3 I-4.9.3 I-4.10.2 I-4.11.3 I-4.12.2 I-4.14.2 D-9.34 D-9.35 D-9.36 D-1.1 D-1.5
    // Covers D-1.9
    test(`${status}: ${route}`, async () => {
      const response = await send(route, json);
      assert.equal(response.status, status);
      assert.deepEqual(withoutLinks(await response.json()), body);
    });
  }

  for (const [route, json] of [
    ['POST /auth/logout', { refreshToken: 'rt' }],
    ['DELETE /billing/payment-method', undefined],
  ] as const) {
    // Covers D-1.11 D-5.1
    test(`204: ${route}`, async () => assert.equal((await send(route, json)).status, 204));
  }

  const planBody = { planId: 'plan_pro' };
  const confirmation = { confirmation: 'DELETE MY ACCOUNT' };
  for (const [code, route, json] of [
    ['EMAIL_TAKEN', 'POST /auth/register', credentials],
    ['UNAUTHORIZED', 'POST /auth/login', credentials],
    ['RATE_LIMITED', 'POST /auth/login', credentials],
    ['UNAUTHORIZED', 'POST /auth/refresh', { refreshToken: 'rt' }],
    ['ACTIVE_SUBSCRIPTION', 'DELETE /account', confirmation],
    ['EXPORT_TOO_FREQUENT', 'POST /account/export', {}],
    ['NOT_FOUND', 'GET /account/exports/exp_2', undefined],
    ['ALREADY_SUBSCRIBED', 'POST /billing/subscribe', planBody],
    ['PAYMENT_METHOD_REQUIRED', 'POST /billing/subscribe', planBody],
    ['PAYMENT_FAILED', 'POST /billing/subscribe', planBody],
    ['NO_ACTIVE_SUBSCRIPTION', 'POST /billing/change-plan', planBody],
    ['PLAN_UNCHANGED', 'POST /billing/change-plan', planBody],
    ['PAYMENT_FAILED', 'POST /billing/change-plan', planBody],
    ['NO_ACTIVE_SUBSCRIPTION', 'POST /billing/cancel', {}],
    ['PAYMENT_FAILED', 'PUT /billing/payment-method', { token: 'tok_chargeDeclined' }],
    ['INVOICE_UNPAID', 'POST /billing/subscribe', planBody],
    ['INVOICE_UNPAID', 'POST /billing/change-plan', planBody],
    ['INVOICE_ALREADY_PAID', 'POST /billing/invoices/inv_1/pay', undefined],
    ['INVOICE_NOT_PAYABLE', 'POST /billing/invoices/inv_1/pay', undefined],
    ['NOT_FOUND', 'POST /billing/invoices/inv_2/pay', undefined],
    ['PAYMENT_METHOD_REQUIRED', 'POST /billing/invoices/inv_1/pay', undefined],
    ['NO_ACTIVE_SUBSCRIPTION', 'GET /billing/spend-limit', undefined],
    ['NO_ACTIVE_SUBSCRIPTION', 'PUT /billing/spend-limit', { amount: 5 }],
    ['NOT_FOUND', 'POST /webhooks/deliveries/dlv_2/replay', undefined],
  ] as const) {
    // Covers I-7.9 I-7.10 D-1.2 D-5.2 D-5.3 D-5.16 D-5.17 D-6.11 D-9.26
    test(`${code}: ${route}`, async () => {
      refusal = Reason[code];
      const response = await send(route, json);
      assert.equal(response.headers.get('retry-after'), '9');
      await expectError(response, code);
    });
  }

  for (const [route, field, json] of [
    ['POST /auth/register', 'email', { ...credentials, email: 'nobody' }],
    ['POST /auth/register', 'password', { ...credentials, password: 'eleven char' }],
    ['POST /auth/register', 'password', { ...credentials, password: 'x'.repeat(129) }],
    ['POST /auth/register', 'role', { ...credentials, role: 'admin' }],
    ['POST /auth/login', 'password', { email: 'a@example.com' }],
    ['POST /auth/refresh', 'refreshToken', {}],
    ['POST /auth/logout', 'refreshToken', { refreshToken: 1 }],
    ['DELETE /account', 'confirmation', { confirmation: 'delete my account' }],
    ['DELETE /account', 'confirmation', undefined],
    ['POST /account/export', 'format', { format: 'xml' }],
    ['POST /account/export', 'webhookUrl', { webhookUrl: 'ftp://example.com' }],
    ['GET /account/exports?limit=101', 'limit', undefined],
    ['POST /billing/subscribe', 'planId', { planId: 'plan_free' }],
    ['POST /billing/subscribe', 'planId', undefined],
    ['POST /billing/change-plan', 'planId', { planId: 7 }],
    ['POST /billing/cancel', 'immediate', { immediate: 'true' }],
    ['PUT /billing/payment-method', 'token', {}],
    ['PUT /billing/spend-limit', 'amount', {}],
    ['PUT /billing/spend-limit', 'amount', { amount: -1 }],
    ['PUT /billing/spend-limit', 'amount', { amount: 1.5 }],
    ['GET /billing/invoices?page=0', 'page', undefined],
    ['GET /billing/usage?period=2026-13', 'period', undefined],
    ['GET /billing/usage?month=2026-01', 'month', undefined],
    ['GET /webhooks/deliveries?page=x', 'page', undefined],
  ] as const) {
    // Covers I-4.7.1 I-4.9.1 I-4.10.1 I-7.4 D-1.3 D-7.2
    test(`400 INVALID_PARAMS: ${route} ${field} ${JSON.stringify(json) ?? ''}`, async () => {
      await expectError(await send(route, json), 'INVALID_PARAMS', { field });
    });
  }

  for (const route of [
    'GET /account',
    'DELETE /account',
    'POST /account/restore',
    'POST /account/export',
    'GET /account/exports',
    'GET /account/exports/exp_1',
    'GET /billing',
    'POST /billing/subscribe',
    'POST /billing/change-plan',
    'POST /billing/cancel',
    'PUT /billing/payment-method',
    'DELETE /billing/payment-method',
    'GET /billing/invoices',
    'POST /billing/invoices/inv_1/pay',
    'GET /billing/spend-limit',
    'PUT /billing/spend-limit',
    'GET /billing/usage',
    'GET /webhooks/secret',
    'POST /webhooks/secret/rotate',
    'GET /webhooks/deliveries',
    'POST /webhooks/deliveries/dlv_1/replay',
    'POST /api-keys',
    'PATCH /api-keys/key_1',
    'GET /api-keys',
  ]) {
    // Covers I-5.4 I-7.5
    test(`401 UNAUTHORIZED: ${route} without a token`, async () => {
      const [method = '', path = ''] = route.split(' ');
      await expectError(await gateway.call(`/api/v1${path}`, { method, token: null }), 'UNAUTHORIZED');
    });
  }

  // Covers I-4.10.3
  test('a downgrade shows the scheduled plan and no proration, and canceling it is shown too', async () => {
    await using other = await startTestGateway({
      services: {
        billing: {
          changePlan: ({ planId }) => ({
            subscription: planId === 'plan_pro' ? subscription : { ...subscription, scheduledPlanId: planId },
          }),
        },
      },
    });
    const change = async (planId: string) => {
      const response = await other.call('/api/v1/billing/change-plan', { method: 'POST', json: { planId } });
      return response.json();
    };
    const shown = { id: 'sub_1', planId: 'plan_pro', status: 'active', currentPeriodEnd: LATER };
    assert.deepEqual(await change('plan_starter'), {
      subscription: { ...shown, scheduledPlanId: 'plan_starter' },
      message: `You move to plan_starter on ${LATER}.`,
    });
    assert.deepEqual(await change('plan_pro'), {
      subscription: shown,
      message: 'You stay on plan_pro; nothing else is scheduled.',
    });
  });

  // Covers I-4.8.1 I-4.11.1 I-4.11.2 I-4.14.1
  test('defaults and the address of the caller are passed to the services', async () => {
    await send('POST /auth/login', credentials);
    assert.equal(received.clientIp, '127.0.0.1');
    await send('POST /account/export');
    assert.equal(received.format, 'json');
    await send('GET /billing/usage');
    assert.equal(received.period, 'current');
    await send('POST /billing/cancel', { immediate: true, reason: 'too dear' });
    assert.deepEqual([received.immediate, received.reason], [true, 'too dear']);
  });
});
