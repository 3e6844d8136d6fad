import { newId } from '@audiosplit/chassis/ids';
import { until } from '@audiosplit/chassis/testing/until';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { BillingFixture } from './billing.fixture.ts';

interface Terms {
  readonly monthlyMinutes?: number;
  readonly pricePerMonthCents?: bigint;
  readonly overageMillicentsPerMinute?: bigint;
}

type Agreed = readonly [planId: string, maxAmountCents?: bigint];

function changeTo(planId: string, maxAmountCents?: bigint) {
  return { planId, ...(maxAmountCents === undefined ? {} : { maxAmountCents }) };
}

/** The actions of an account's holder at billing, and the events of the account. */
export function openHolder(fixture: BillingFixture, accountId = newId('acc')) {
  const { billing } = fixture;
  const options = () => fixture.actingFor(accountId);
  return {
    accountId,
    options,
    setCard: (token: string) => billing.setPaymentMethod({ token }, options()),
    removeCard: () => billing.deletePaymentMethod({}, options()),
    subscribe: (...agreed: Agreed) => billing.subscribe(changeTo(...agreed), options()),
    preview: (planId: string) => billing.previewPlanChange({ planId }, options()),
    changePlan: (...agreed: Agreed) => billing.changePlan(changeTo(...agreed), options()),
    cancel: (immediate = false) => billing.cancelSubscription({ immediate }, options()),
    pay: (invoiceId: string) => billing.payInvoice({ invoiceId }, options()),
    info: () => billing.getBillingInfo({}, options()),
    usage: (period = 'current') => billing.getUsage({ period }, options()),
    quota: () => billing.getQuota({ accountId }),
    limits: async () => (await billing.getLimits({ accountId })).limits,
    /** Newest first. */
    async invoices({ withLines = false } = {}) {
      return (await billing.listInvoices({ page: 1, limit: 100, withLines }, options())).invoices;
    },
    agree: (terms: Terms) => billing.setAccountOverrides({ accountId, ...terms }),
    moveTo: (time: string) => billing.setSandboxClock({ now: timestampFromDate(new Date(time)) }, options()),
    /** A job completes, by default now, and is counted. */
    async use(minutes: number, completedAt = fixture.now()) {
      const jobId = newId('job');
      const value = {
        jobId,
        status: 'completed',
        completedAt: timestampFromDate(completedAt),
        sourceDurationMs: BigInt(minutes * 60_000),
      };
      await fixture.tell(accountId, { case: 'splitStatusChanged', value }, { key: jobId });
      const isCounted = async () =>
        (await billing.getQuota({ accountId, jobIds: [jobId] })).counted?.jobIds.length === 1;
      await until(isCounted, 'the job is counted');
    },
  };
}
