/**
 * Runs random histories of an account and compares its invoices with a simple model (billing-model.fixture.ts). The
 * card's charges must equal the paid invoices, and a plan change must charge what its preview showed. BILLING_HISTORIES
 * sets the number of histories, BILLING_SEED repeats a run. A failure prints the seed and the history.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import type { PreviewPlanChangeResponse } from '@audiosplit/proto/billing/v1/billing';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ConnectError } from '@connectrpc/connect';
import fc from 'fast-check';
import { startBillingFixture } from '../billing.fixture.ts';
import type { BillingClient } from '../client.ts';
import type { ChargeRequest, PaymentProvider } from '../payment/payment-provider.ts';
import { createSandboxProvider } from '../payment/sandbox.ts';
import { createBillingModel, type Step } from './billing-model.fixture.ts';

const HISTORIES = Number(process.env.BILLING_HISTORIES ?? 60);
/** Histories are independent. Running several at once uses the time spent waiting for the database. */
const AT_A_TIME = 12;
/** The longest timeout that a service accepts, so that a busy machine does not fail the test. */
const CALL_TIMEOUT_MS = 60_000;

/** The errors that a step may get. */
const REFUSALS = [
  Reason.ALREADY_SUBSCRIBED,
  Reason.NO_ACTIVE_SUBSCRIPTION,
  Reason.PLAN_UNCHANGED,
  Reason.PAYMENT_FAILED,
  Reason.INVOICE_UNPAID,
];

const planId = fc.constantFrom('plan_starter', 'plan_pro', 'plan_enterprise');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 900 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('card' as const),
      works: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('subscribe' as const), planId }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change' as const), planId }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'pay' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), immediate: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('use' as const),
      seconds: fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 60_000, max: 4_000_000 })),
    }),
  },
);
const orNone = (figure: fc.Arbitrary<number>) => fc.option(figure, { nil: undefined });
const agreement: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('agree' as const),
  terms: fc.record({
    priceCents: orNone(fc.constantFrom(0, 1, 1_234, 49_900)),
    overageMillicents: orNone(fc.integer({ min: 0, max: 5_000 })),
    minutes: orNone(fc.integer({ min: 0, max: 3_000 })),
  }),
});
const history = fc
  .array(fc.oneof({ weight: 20, arbitrary: step }, { weight: 1, arbitrary: agreement }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((steps): Step[] => [
    { kind: 'card', works: true },
    { kind: 'subscribe', planId: 'plan_pro' },
    ...steps,
  ]);

describe('histories of billing', () => {
  const sandbox = createSandboxProvider();
  const charged = new Map<
    string,
    Pick<ChargeRequest, 'amountCents' | 'description'> & { customerId: string }
  >();
  const provider: PaymentProvider = {
    ...sandbox,
    async charge(request) {
      const result = await sandbox.charge(request);
      const { amountCents, description, method, idempotencyKey } = request;
      const charge = { customerId: method.customerId, amountCents, description };
      // Two processes that settle one charge send the same request at the same time.
      assert.deepEqual(charged.get(idempotencyKey) ?? charge, charge);
      charged.set(idempotencyKey, charge);
      return result;
    },
  };
  let billing: BillingClient;
  const fixture = forSuite(() => startBillingFixture({ provider }));
  before(() => {
    billing = fixture.billing;
  });

  function agree(
    accountId: string,
    { priceCents, overageMillicents, minutes }: Extract<Step, { kind: 'agree' }>['terms'],
  ): Promise<unknown> {
    const request = {
      accountId,
      ...(priceCents === undefined ? {} : { pricePerMonthCents: BigInt(priceCents) }),
      ...(overageMillicents === undefined ? {} : { overageMillicentsPerMinute: BigInt(overageMillicents) }),
      ...(minutes === undefined ? {} : { monthlyMinutes: minutes }),
    };
    return fixture.billing.setAccountOverrides(request, { timeoutMs: CALL_TIMEOUT_MS });
  }

  async function live(steps: readonly Step[]): Promise<void> {
    const accountId = newId('acc');
    const options = { ...fixture.actingFor(accountId), timeoutMs: CALL_TIMEOUT_MS };
    const model = createBillingModel(fixture.now());
    const moveClock = () => billing.setSandboxClock({ now: timestampFromDate(model.now()) }, options);
    let jobs = 0n;
    const use = async (seconds: number) => {
      const jobId = newId('job');
      const value = {
        jobId,
        status: 'completed',
        completedAt: timestampFromDate(fixture.now()),
        sourceDurationMs: BigInt(seconds) * 1_000n,
      };
      const before = (await billing.getUsage({ period: 'current' }, options)).jobsCompleted;
      await fixture.tell(accountId, { case: 'splitStatusChanged', value }, { key: jobId });
      await until(async () => {
        jobs = (await billing.getUsage({ period: 'current' }, options)).jobsCompleted;
        return jobs === before + 1n;
      }, 'the job is counted');
      return moveClock();
    };
    const pay = async () => {
      const { invoices } = await billing.listInvoices({ page: 1, limit: 100 }, options);
      const owed = invoices.findLast(({ status }) => status === 'open' || status === 'uncollectible');
      if (owed !== undefined) {
        await billing.payInvoice({ invoiceId: owed.id }, options).catch((error: unknown) => {
          // The background, which collects what an immediate cancellation left, was faster.
          if (errorInfoOf(error).reason !== Reason.INVOICE_ALREADY_PAID) throw error;
        });
      }
      return moveClock();
    };
    const chargedFor = (isCounted: (description: string) => boolean) =>
      [...charged.values()]
        .filter(({ customerId }) => customerId === `sandbox_${accountId}`)
        .filter(({ description }) => isCounted(description))
        .reduce((sum, { amountCents }) => sum + amountCents, 0);
    const plansPaid = () => chargedFor((description) => description !== 'audiosplit invoice');
    /** A successful change charges what its preview showed. */
    const askFor = async (planId: string, ask: () => Promise<unknown>): Promise<void> => {
      const before = plansPaid();
      const preview = await billing.previewPlanChange({ planId }, options).catch((error: unknown) => error);
      await ask();
      assert.ok(!(preview instanceof Error), `the preview of a successful change failed: ${preview}`);
      assert.equal(plansPaid() - before, Number((preview as PreviewPlanChangeResponse).amountDueCents));
    };
    const act = async (taken: Step): Promise<unknown> => {
      switch (taken.kind) {
        case 'wait':
          return moveClock();
        case 'card':
          return billing.setPaymentMethod(
            { token: taken.works ? 'tok_visa' : 'tok_chargeCustomerFail' },
            options,
          );
        case 'subscribe':
          return askFor(taken.planId, () => billing.subscribe({ planId: taken.planId }, options));
        case 'change':
          return askFor(taken.planId, () => billing.changePlan({ planId: taken.planId }, options));
        case 'cancel':
          return billing.cancelSubscription({ immediate: taken.immediate }, options);
        case 'use':
          return use(taken.seconds);
        case 'pay':
          return pay();
        case 'agree':
          return agree(accountId, taken.terms);
        default:
          return taken satisfies never;
      }
    };

    for (const taken of steps) {
      // The model expects the same errors, and skips the step.
      model.take(taken);
      await act(taken).catch((error: unknown) => {
        if (!(error instanceof ConnectError) || !REFUSALS.includes(errorInfoOf(error).reason)) throw error;
      });
      const info = await billing.getBillingInfo({}, options);
      assert.equal(info.plan?.id, model.planId());
      assert.equal(info.subscription?.status, model.status());
    }
    // This also completes what a cancellation left to the background.
    await moveClock();
    const { invoices } = await billing.listInvoices({ page: 1, limit: 100 }, options);
    const brief = invoices.map(({ amountCents, status }) => ({ cents: Number(amountCents), status }));
    assert.deepEqual(brief.toReversed(), model.invoices());
    const paid = brief.filter(({ status }) => status === 'paid').reduce((sum, { cents }) => sum + cents, 0);
    assert.equal(
      chargedFor(() => true),
      paid,
    );
  }

  // Covers D-5.13 D-5.25 D-9.5
  it(`match the model (${HISTORIES})`, async () => {
    const seed = Number(process.env.BILLING_SEED ?? Date.now() % 2 ** 31);
    const histories = fc.sample(history, { numRuns: HISTORIES, seed });
    const queue = histories.entries();
    const worker = async () => {
      for (const [n, steps] of queue) {
        await live(steps).catch((error: unknown) => {
          throw new Error(`history ${n} of seed ${seed}: ${JSON.stringify(steps)}`, { cause: error });
        });
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  });
});
