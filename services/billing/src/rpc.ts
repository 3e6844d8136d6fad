/** BillingService on the wire. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { onceEach } from '@audiosplit/chassis/idempotency/once';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { requireAccount, requireService } from '@audiosplit/chassis/rpc/identity';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { toProtoLimits } from './account-limits.ts';
import { accountTime, effectivePlan, readAccountState } from './account-state.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import { removePaymentMethod, setPaymentMethod } from './change-payment-method.ts';
import { cancelSubscription, changePlan, subscribe } from './change-subscription.ts';
import type { InvoiceFiles } from './invoice-files.ts';
import { announceLimits } from './limits-change.ts';
import { checkOverrides } from './overrides.ts';
import { PLANS } from './plans.ts';
import {
  fromProtoOverrides,
  toProtoInvoice,
  toProtoPaymentMethod,
  toProtoPlan,
  toProtoSubscription,
} from './proto-mapping.ts';
import { setSandboxClock } from './sandbox-clock.ts';
import { lockAccount, updateOverrides } from './store/accounts.ts';
import { listInvoices } from './store/invoices.ts';
import { readPaymentMethod } from './store/payment-methods.ts';
import { readRunningSubscription } from './store/subscriptions.ts';
import { sumUsage } from './store/usage.ts';
import { remainingMs } from './usage.ts';
import { currentTerms, reportUsage } from './usage-report.ts';

export interface BillingRpcOptions extends BillingDependencies {
  readonly invoiceFiles: InvoiceFiles;
  readonly internalSecret: string;
}

const READERS_OF_LIMITS = ['gateway', 'jobs', 'auth'];
const OPERATORS = ['operator', 'local'];

export function createBillingRoutes({
  invoiceFiles,
  internalSecret,
  ...dependencies
}: BillingRpcOptions): Routes {
  const { pool, clock, wakeRelay } = dependencies;
  const implementation: ServiceImpl<typeof BillingService> = {
    listPlans: () => ({ plans: PLANS.map(toProtoPlan) }),

    async getBillingInfo(_, context) {
      const accountId = requireAccount(context);
      const { plan, subscription } = await readAccountState(pool, accountId);
      const method = await readPaymentMethod(pool, accountId);
      return {
        plan: toProtoPlan(plan),
        ...(subscription === undefined ? {} : { subscription: toProtoSubscription(subscription) }),
        ...(method === undefined ? {} : { paymentMethod: toProtoPaymentMethod(method.card) }),
      };
    },

    async subscribe({ planId }, context) {
      const subscription = await subscribe(dependencies, requireAccount(context), planId);
      return { subscription: toProtoSubscription(subscription) };
    },

    async changePlan({ planId }, context) {
      const { subscription, proration } = await changePlan(dependencies, requireAccount(context), planId);
      return {
        subscription: toProtoSubscription(subscription),
        ...(proration === undefined
          ? {}
          : { proration: { ...proration, amountCents: BigInt(proration.amountCents) } }),
      };
    },

    async cancelSubscription({ immediate, reason }, context) {
      const request = { immediate, reason };
      const subscription = await cancelSubscription(dependencies, requireAccount(context), request);
      return { subscription: toProtoSubscription(subscription) };
    },

    async setPaymentMethod({ token }, context) {
      const { card } = await setPaymentMethod(dependencies, requireAccount(context), token);
      return { paymentMethod: toProtoPaymentMethod(card) };
    },

    async deletePaymentMethod(_, context) {
      await removePaymentMethod(dependencies, requireAccount(context));
      return {};
    },

    async listInvoices({ page, limit }, context) {
      const { invoices, total } = await listInvoices(pool, requireAccount(context), { page, limit });
      await invoiceFiles.refresh(invoices);
      return { invoices: invoices.map(toProtoInvoice), total: BigInt(total) };
    },

    async setSandboxClock({ now }, context) {
      if (now === undefined) throw new InvalidParamsError('now', 'give a time.');
      await setSandboxClock(dependencies, requireAccount(context), timestampDate(now));
      return { now };
    },

    async getUsage({ period }, context) {
      const report = await reportUsage(pool, requireAccount(context), period, clock());
      const { totals, baseCents, overageCents } = report;
      return {
        periodStart: timestampFromDate(report.period.start),
        periodEnd: timestampFromDate(report.period.end),
        minutesProcessed: BigInt(report.minutesProcessed),
        minutesIncluded: BigInt(report.minutesIncluded),
        minutesOverage: BigInt(report.minutesOverage),
        jobsCompleted: BigInt(totals.jobsCompleted),
        jobsFailed: BigInt(totals.jobsFailed),
        storageUsedBytes: BigInt(report.storedBytes),
        basePlanCents: BigInt(baseCents),
        overageCents: BigInt(overageCents),
        totalCents: BigInt(baseCents + overageCents),
        currency: 'usd',
      };
    },

    async getLimits({ accountId }, context) {
      requireService(context, ...READERS_OF_LIMITS);
      const { plan, account } = await readAccountState(pool, accountId);
      return { limits: toProtoLimits(plan, account.limitsRevision) };
    },

    async getQuota({ accountId }, context) {
      requireService(context, ...READERS_OF_LIMITS);
      const state = await readAccountState(pool, accountId);
      const { period } = currentTerms(state, accountTime(state.account, clock()));
      const totals = await sumUsage(pool, accountId, period);
      return {
        remainingMs: BigInt(remainingMs(state.plan.monthlyMinutes, totals.sourceDurationMs)),
        overageAllowed: state.plan.overageMillicentsPerMinute !== undefined,
      };
    },

    async setAccountOverrides(request, context) {
      requireService(context, ...OPERATORS);
      const { accountId } = request;
      if (!/^[\x21-\x7e]{1,255}$/.test(accountId)) {
        throw new InvalidParamsError('accountId', 'give the id of an account.');
      }
      const overrides = fromProtoOverrides(request);
      checkOverrides(overrides);
      const limits = await withTransaction(pool, async (client) => {
        await lockAccount(client, accountId);
        await updateOverrides(client, accountId, overrides);
        const subscription = await readRunningSubscription(client, accountId);
        const plan = effectivePlan({ overrides }, subscription);
        return announceLimits(client, accountId, plan, clock());
      });
      wakeRelay();
      return { limits };
    },
  };
  const once = { pool, clock, internalSecret };
  return (router) => router.service(BillingService, onceEach(BillingService, implementation, once));
}
