import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { ACCOUNT, ANYONE, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import {
  fromProtoBillingInfo,
  fromProtoBillingProfile,
  fromProtoInvoice,
  fromProtoPaymentMethod,
  fromProtoPlan,
  fromProtoSpendLimit,
  fromProtoUsage,
  toCanceled,
  toChangedPlan,
  toSubscribed,
} from '../mapping/billing.ts';
import { present, toIsoTime } from '../mapping/messages.ts';
import {
  BillingInfo,
  BillingProfile,
  BillingProfileBody,
  CancelBody,
  CanceledSubscription,
  ChangedPlan,
  Invoice,
  InvoiceList,
  InvoiceParams,
  PaymentMethod,
  PaymentMethodBody,
  PlanBody,
  PlanList,
  SandboxClock,
  SandboxClockBody,
  SpendLimit,
  SpendLimitBody,
  Subscribed,
  Usage,
  UsageQuery,
} from '../schemas/billing.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { ref } from '../schemas/ref.ts';
import type { RouteDependencies } from './route-dependencies.ts';

const tags = ['Billing'];

/** Calls that may charge a card wait for the payment provider. */
export const PAYMENT_TIMEOUT_MS = 30_000;

export function billingRoutes({ services, downloads }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { billing, actingFor } = services;
  return async (app) => {
    app.get(
      '/plans',
      endpoint({
        access: ANYONE,
        schema: {
          operationId: 'listPlans',
          tags,
          summary: 'List the plans',
          response: { 200: ref(PlanList) },
        },
      }),
      async () => ({ data: (await billing.listPlans({})).plans.map(fromProtoPlan) }),
    );

    app.post(
      '/billing/subscribe',
      endpoint({
        access: ACCOUNT,
        changesLimits: true,
        errors: ['ALREADY_SUBSCRIBED', 'INVOICE_UNPAID', 'PAYMENT_METHOD_REQUIRED', 'PAYMENT_FAILED'],
        schema: {
          operationId: 'subscribe',
          tags,
          summary: 'Subscribe to a plan',
          description: 'Charges the payment method on file for the first period.',
          body: PlanBody,
          response: { 201: ref(Subscribed) },
        },
      }),
      async (request, reply) => {
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        return reply.code(201).send(toSubscribed(await billing.subscribe(request.body, options)));
      },
    );

    app.post(
      '/billing/change-plan',
      endpoint({
        access: ACCOUNT,
        changesLimits: true,
        errors: [
          'NO_ACTIVE_SUBSCRIPTION',
          'PLAN_UNCHANGED',
          'INVOICE_UNPAID',
          'PAYMENT_FAILED',
          'PAYMENT_METHOD_REQUIRED',
        ],
        schema: {
          operationId: 'changePlan',
          tags,
          summary: 'Change the plan',
          description:
            'A higher plan applies at once, for a charge for the rest of the period. A lower one begins with ' +
            'the next period; until then, choosing the current plan again cancels the change.',
          body: PlanBody,
          response: { 200: ref(ChangedPlan) },
        },
      }),
      async (request) => {
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        return toChangedPlan(await billing.changePlan(request.body, options));
      },
    );

    app.post(
      '/billing/cancel',
      endpoint({
        access: ACCOUNT,
        changesLimits: true,
        errors: ['NO_ACTIVE_SUBSCRIPTION'],
        whileSuspended: true,
        schema: {
          operationId: 'cancelSubscription',
          tags,
          summary: 'Cancel the subscription',
          description: 'Ends it with the current period, or now with `immediate`.',
          body: CancelBody,
          response: { 200: ref(CanceledSubscription) },
        },
      }),
      async (request) => {
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        return toCanceled(await billing.cancelSubscription(toCancelRequest(request.body), options));
      },
    );

    app.put(
      '/billing/payment-method',
      endpoint({
        access: ACCOUNT,
        errors: ['PAYMENT_FAILED'],
        whileSuspended: true,
        schema: {
          operationId: 'setPaymentMethod',
          tags,
          summary: 'Set the payment method',
          description: 'Replaces the previous one.',
          body: PaymentMethodBody,
          response: { 200: ref(PaymentMethod) },
        },
      }),
      async (request) => {
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        return fromProtoPaymentMethod((await billing.setPaymentMethod(request.body, options)).paymentMethod);
      },
    );

    app.delete(
      '/billing/payment-method',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND', 'ACTIVE_SUBSCRIPTION'],
        schema: {
          operationId: 'deletePaymentMethod',
          tags,
          summary: 'Remove the payment method',
          response: { 204: Type.Null({ description: 'Removed.' }) },
        },
      }),
      async (request, reply) => {
        // Charges what is due before the card is removed.
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        await billing.deletePaymentMethod({}, options);
        return reply.code(204).send(null);
      },
    );

    app.get(
      '/billing/invoices',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'listInvoices',
          tags,
          summary: 'List invoices',
          description: 'Newest first.',
          querystring: PageQuery,
          response: { 200: ref(InvoiceList) },
        },
      }),
      async (request) => {
        const page = pageOf(request.query);
        const { invoices, total } = await billing.listInvoices(page, actingFor(principalOf(request)));
        return {
          data: invoices.map((invoice) => fromProtoInvoice(invoice, downloads)),
          pagination: toPagination(page, total),
        };
      },
    );

    app.post(
      '/billing/invoices/:invoiceId/pay',
      endpoint({
        access: ACCOUNT,
        changesLimits: true,
        errors: [
          'NOT_FOUND',
          'INVOICE_ALREADY_PAID',
          'INVOICE_NOT_PAYABLE',
          'PAYMENT_METHOD_REQUIRED',
          'PAYMENT_FAILED',
        ],
        whileSuspended: true,
        schema: {
          operationId: 'payInvoice',
          tags,
          summary: 'Pay an invoice',
          description:
            'Charges an invoice that is open or uncollectible now. Once the last debt of a subscription that had become ' +
            '`unpaid` is paid, the subscription becomes active again: for the rest of the period, or for a new one from now on, which is ' +
            'charged like a renewal.',
          params: InvoiceParams,
          response: { 200: ref(Invoice) },
        },
      }),
      async (request) => {
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        const { invoice } = await billing.payInvoice({ invoiceId: request.params.invoiceId }, options);
        return fromProtoInvoice(present(invoice, 'an invoice'), downloads);
      },
    );

    app.get(
      '/billing/spend-limit',
      endpoint({
        access: ACCOUNT,
        errors: ['NO_ACTIVE_SUBSCRIPTION'],
        schema: {
          operationId: 'getSpendLimit',
          tags,
          summary: 'Read the spend limit',
          description:
            "The maximum cost of minutes beyond the plan in a period; by default ten times the plan's price.",
          response: { 200: ref(SpendLimit) },
        },
      }),
      async (request) => {
        const { spendLimit } = await billing.getSpendLimit({}, actingFor(principalOf(request)));
        return fromProtoSpendLimit(spendLimit);
      },
    );

    app.put(
      '/billing/spend-limit',
      endpoint({
        access: ACCOUNT,
        changesLimits: true,
        errors: ['NO_ACTIVE_SUBSCRIPTION'],
        schema: {
          operationId: 'setSpendLimit',
          tags,
          summary: 'Set the spend limit',
          description: 'It applies from now on, also on another plan.',
          body: SpendLimitBody,
          response: { 200: ref(SpendLimit) },
        },
      }),
      async (request) => {
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        const change = toSpendLimitRequest(request.body);
        return fromProtoSpendLimit((await billing.setSpendLimit(change, options)).spendLimit);
      },
    );

    app.get(
      '/billing',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'getBilling',
          tags,
          summary: 'Read plan, subscription and payment method',
          response: { 200: ref(BillingInfo) },
        },
      }),
      async (request) =>
        fromProtoBillingInfo(await billing.getBillingInfo({}, actingFor(principalOf(request)))),
    );

    app.get(
      '/billing/profile',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'getBillingProfile',
          tags,
          summary: 'Read who is billed',
          response: { 200: ref(BillingProfile) },
        },
      }),
      async (request) =>
        fromProtoBillingProfile((await billing.getBillingInfo({}, actingFor(principalOf(request)))).profile),
    );

    app.put(
      '/billing/profile',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'setBillingProfile',
          tags,
          summary: 'Set who is billed',
          description:
            'Later invoices contain the company and its tax id. Those issued before do not change.',
          body: BillingProfileBody,
          response: { 200: ref(BillingProfile) },
        },
      }),
      async (request) => {
        const change = toProfileRequest(request.body);
        return fromProtoBillingProfile(
          (await billing.setBillingProfile(change, actingFor(principalOf(request)))).profile,
        );
      },
    );

    app.get(
      '/billing/usage',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'getUsage',
          tags,
          summary: 'Read the usage of a period',
          querystring: UsageQuery,
          response: { 200: ref(Usage) },
        },
      }),
      async (request) => {
        const { period = 'current' } = request.query;
        return fromProtoUsage(await billing.getUsage({ period }, actingFor(principalOf(request))));
      },
    );

    app.put(
      '/sandbox/clock',
      endpoint({
        access: ACCOUNT,
        changesLimits: true,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'setSandboxClock',
          tags,
          summary: 'Move the billing clock',
          description:
            'Advances the time of the account: renewals, invoices and charges that become due meanwhile ' +
            'are executed before the response. Only available with the sandbox as payment provider, which moves no money.',
          body: SandboxClockBody,
          response: { 200: ref(SandboxClock) },
        },
      }),
      async (request) => {
        const options = { ...actingFor(principalOf(request)), timeoutMs: PAYMENT_TIMEOUT_MS };
        const now = timestampFromDate(new Date(request.body.now));
        const moved = await billing.setSandboxClock({ now }, options);
        return { now: toIsoTime(moved.now) };
      },
    );
  };
}

export function toCancelRequest({ reason, immediate = false }: Static<typeof CancelBody>) {
  return { immediate, ...(reason === undefined ? {} : { reason }) };
}

export function toSpendLimitRequest({ amount }: Static<typeof SpendLimitBody>) {
  return amount === null ? {} : { amountCents: BigInt(amount) };
}

export function toProfileRequest({ companyName, taxId }: BillingProfile) {
  return {
    profile: {
      ...(companyName === null ? {} : { companyName }),
      ...(taxId === null ? {} : { taxId }),
    },
  };
}
