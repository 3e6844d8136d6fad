/** BillingService: checks the caller, calls the use case, maps the result. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { withIdempotency } from '@audiosplit/chassis/idempotency/with-idempotency';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { accountIdOf } from './account-id.ts';
import { readAccountState } from './account-state.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import type { InvoiceFiles } from './invoices/invoice-files.ts';
import { toProtoInvoices } from './invoices/invoice-messages.ts';
import { setBillingProfile } from './invoices/set-billing-profile.ts';
import { toProtoLimits } from './limits/account-limits.ts';
import { setOverrides } from './limits/set-overrides.ts';
import { createOperatorRpc } from './operator-rpc.ts';
import { removePaymentMethod, setPaymentMethod } from './payment/change-payment-method.ts';
import { payInvoice } from './payment/pay-invoice.ts';
import { receiveProviderEvent } from './payment/provider-events.ts';
import { setSandboxClock } from './payment/sandbox-clock.ts';
import { PLANS } from './plans/plans.ts';
import {
  fromProtoOverrides,
  toProtoOverrides,
  toProtoPaymentMethod,
  toProtoPlan,
  toProtoPreview,
  toProtoProfile,
  toProtoSpendLimit,
  toProtoSubscription,
  toProtoUsage,
} from './proto-mapping.ts';
import { readPendingCharge } from './store/charges.ts';
import { listInvoices } from './store/invoices.ts';
import { readPaymentMethod } from './store/payment-methods.ts';
import { listDayUsage } from './store/usage.ts';
import { cancelSubscription, changePlan, subscribe } from './subscription/change-subscription.ts';
import { previewPlanChange } from './subscription/preview-plan-change.ts';
import { readQuota } from './usage/quota.ts';
import { readSpendLimit, setSpendLimit } from './usage/set-spend-limit.ts';
import { reportUsage } from './usage/usage-report.ts';

interface BillingRpcOptions extends BillingDependencies {
  readonly log: Logger;
  readonly invoiceFiles: InvoiceFiles;
  /** Encrypts stored responses of idempotent calls. */
  readonly responseSecret: string;
}

export function createBillingRoutes({
  log,
  invoiceFiles,
  responseSecret,
  ...dependencies
}: BillingRpcOptions): Routes {
  const { pool, clock } = dependencies;
  const implementation: ServiceImpl<typeof BillingService> = {
    listPlans: () => ({ plans: PLANS.map(toProtoPlan) }),

    async getBillingInfo(_, context) {
      const accountId = requireAccount(context).accountId;
      const { account, plan, subscription } = await readAccountState(pool, accountId);
      const method = await readPaymentMethod(pool, accountId);
      return {
        plan: toProtoPlan(plan),
        ...(subscription === undefined ? {} : { subscription: toProtoSubscription(subscription) }),
        ...(method === undefined ? {} : { paymentMethod: toProtoPaymentMethod(method.card) }),
        paymentProvider: dependencies.provider.name,
        profile: toProtoProfile(account.profile),
        chargePending: (await readPendingCharge(pool, accountId)) !== undefined,
      };
    },

    async subscribe({ planId, maxAmountCents: max }, context) {
      const subscription = await subscribe(
        dependencies,
        requireAccount(context).accountId,
        planId,
        max === undefined ? undefined : Number(max),
      );
      return { subscription: toProtoSubscription(subscription) };
    },

    async changePlan({ planId, maxAmountCents: max }, context) {
      const { subscription, proration } = await changePlan(
        dependencies,
        requireAccount(context).accountId,
        planId,
        max === undefined ? undefined : Number(max),
      );
      return {
        subscription: toProtoSubscription(subscription),
        ...(proration === undefined
          ? {}
          : { proration: { ...proration, amountCents: BigInt(proration.amountCents) } }),
      };
    },

    async previewPlanChange({ planId }, context) {
      const preview = await previewPlanChange(dependencies, requireAccount(context).accountId, planId);
      return toProtoPreview(preview);
    },

    async cancelSubscription({ immediate, reason }, context) {
      const request = { immediate, reason };
      const subscription = await cancelSubscription(dependencies, requireAccount(context).accountId, request);
      return { subscription: toProtoSubscription(subscription) };
    },

    async setPaymentMethod({ token }, context) {
      const { card } = await setPaymentMethod(dependencies, requireAccount(context).accountId, token);
      return { paymentMethod: toProtoPaymentMethod(card) };
    },

    async deletePaymentMethod(_, context) {
      await removePaymentMethod(dependencies, requireAccount(context).accountId);
      return {};
    },

    async listInvoices({ page, limit, withLines }, context) {
      const { invoices, total } = await listInvoices(pool, requireAccount(context).accountId, {
        page,
        limit,
      });
      await invoiceFiles.refresh(invoices);
      return {
        invoices: await toProtoInvoices(pool, invoices, withLines),
        total: BigInt(total),
      };
    },

    async setSandboxClock({ now }, context) {
      if (now === undefined) throw new InvalidParamsError('now', 'give a time.');
      await setSandboxClock(dependencies, requireAccount(context).accountId, timestampDate(now));
      return { now };
    },

    async payInvoice({ invoiceId }, context) {
      const { accountId } = requireAccount(context);
      const invoice = await payInvoice(dependencies, accountId, invoiceId);
      await invoiceFiles.refresh([invoice]);
      return { invoice: (await toProtoInvoices(pool, [invoice]))[0] };
    },

    async getSpendLimit(_, context) {
      return { spendLimit: toProtoSpendLimit(await readSpendLimit(pool, requireAccount(context).accountId)) };
    },

    async setSpendLimit({ amountCents }, context) {
      const cents = amountCents === undefined ? undefined : Number(amountCents);
      const limit = await setSpendLimit(dependencies, requireAccount(context).accountId, cents);
      return { spendLimit: toProtoSpendLimit(limit) };
    },

    async setBillingProfile({ profile }, context) {
      const saved = await setBillingProfile(dependencies, requireAccount(context).accountId, {
        companyName: profile?.companyName,
        taxId: profile?.taxId,
      });
      return { profile: toProtoProfile(saved) };
    },

    async getUsage({ period, byDay }, context) {
      const accountId = requireAccount(context).accountId;
      const report = await reportUsage(pool, accountId, period, clock());
      return toProtoUsage(report, byDay ? await listDayUsage(pool, accountId, report.period) : []);
    },

    async getLimits({ accountId }) {
      const { plan, account } = await readAccountState(pool, accountId);
      return { limits: toProtoLimits(plan, account) };
    },

    async getQuota({ accountId, jobIds }) {
      const { remainingMs, overageAllowed, spendableMs, countedJobIds } = await readQuota(
        pool,
        accountId,
        jobIds,
        clock(),
      );
      return {
        remainingMs: BigInt(remainingMs),
        overageAllowed,
        ...(spendableMs === undefined ? {} : { spendableMs: BigInt(spendableMs) }),
        counted: { jobIds: [...countedJobIds] },
      };
    },

    async setAccountOverrides(request) {
      const accountId = accountIdOf(request);
      return { limits: await setOverrides(dependencies, accountId, fromProtoOverrides(request)) };
    },

    async getAccountOverrides(request) {
      const { account, plan } = await readAccountState(pool, accountIdOf(request));
      return { ...toProtoOverrides(account.overrides), plan: toProtoPlan(plan) };
    },

    async receiveProviderEvent(request) {
      await receiveProviderEvent(dependencies, log, request);
      return {};
    },
  };
  const once = { pool, clock, secret: responseSecret };
  return (router) => {
    router.service(BillingService, withIdempotency(BillingService, implementation, once));
    router.service(BillingOperatorService, createOperatorRpc(dependencies));
  };
}
