import { type Static, Type } from 'typebox';
import { refuseSuspended } from '../credentials/suspension.ts';
import {
  fromProtoBillingInfo,
  fromProtoBillingProfile,
  fromProtoInvoice,
  fromProtoPaymentMethod,
  fromProtoPlan,
  fromProtoSpendLimit,
  toCanceled,
  toChangedPlan,
  toListedInvoice,
  toSubscribed,
} from '../mapping/billing.ts';
import { oneOfWords, present, toIsoTime } from '../mapping/messages.ts';
import {
  PAYMENT_TIMEOUT_MS,
  toCancelRequest,
  toProfileRequest,
  toSpendLimitRequest,
} from '../routes/billing.ts';
import {
  BillingProfileBody,
  CancelBody,
  InvoiceParams,
  PaymentMethodBody,
  PlanBody,
  SpendLimitBody,
} from '../schemas/billing.ts';
import { CLOSED } from '../schemas/fields.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { input, procedure, procedureWhileSuspended, router } from './trpc.ts';

const CHANGES = ['subscribe', 'upgrade', 'downgrade', 'resume'] as const;

/** Procedures that may call the payment provider. */
const payingWhileSuspended = procedureWhileSuspended.use(({ ctx, next }) =>
  next({ ctx: { asCaller: { ...ctx.asCaller, timeoutMs: PAYMENT_TIMEOUT_MS } } }),
);
const paying = payingWhileSuspended.use(({ ctx, next }) => {
  refuseSuspended(ctx.principal);
  return next();
});

/** Carries the price that was shown. A higher one is rejected. */
const AgreedPlan = Type.Object(
  { ...PlanBody.properties, maxAmount: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
  CLOSED,
);

/** Procedures that change the account's limits. The new limits hold from the next request on. */
export const limitChanges = {
  subscribe: paying
    .input(input(AgreedPlan))
    .mutation(async ({ ctx, input }) =>
      toSubscribed(await ctx.services.billing.subscribe(toPlanRequest(input), ctx.asCaller)),
    ),

  changePlan: paying
    .input(input(AgreedPlan))
    .mutation(async ({ ctx, input }) =>
      toChangedPlan(await ctx.services.billing.changePlan(toPlanRequest(input), ctx.asCaller)),
    ),

  cancel: payingWhileSuspended
    .input(input(CancelBody))
    .mutation(async ({ ctx, input }) =>
      toCanceled(await ctx.services.billing.cancelSubscription(toCancelRequest(input), ctx.asCaller)),
    ),

  payInvoice: payingWhileSuspended.input(input(InvoiceParams)).mutation(async ({ ctx, input }) => {
    const { invoice } = await ctx.services.billing.payInvoice(input, ctx.asCaller);
    return fromProtoInvoice(present(invoice, 'an invoice'), ctx.routes.downloads);
  }),

  setSpendLimit: paying
    .input(input(SpendLimitBody))
    .mutation(async ({ ctx, input }) =>
      fromProtoSpendLimit(
        (await ctx.services.billing.setSpendLimit(toSpendLimitRequest(input), ctx.asCaller)).spendLimit,
      ),
    ),
};

export const billingRouter = router({
  ...limitChanges,

  /** The plan, its scheduled change, the card, and on a paid plan the spend limit. */
  get: procedure.query(async ({ ctx }) => {
    const { billing } = ctx.services;
    const info = await billing.getBillingInfo({}, ctx.asCaller);
    const { subscription, chargePending, paymentProvider } = info;
    const spendLimit =
      subscription === undefined
        ? null
        : fromProtoSpendLimit((await billing.getSpendLimit({}, ctx.asCaller)).spendLimit);
    return {
      ...fromProtoBillingInfo(info),
      ...(subscription?.scheduledPlanId === undefined
        ? {}
        : { scheduledPlanId: subscription.scheduledPlanId }),
      spendLimit,
      profile: fromProtoBillingProfile(info.profile),
      isChargePending: chargePending,
      isSandbox: paymentProvider === 'sandbox',
    };
  }),

  /** All plans, smallest first. */
  plans: procedure.query(async ({ ctx }) =>
    (await ctx.services.billing.listPlans({})).plans.map(fromProtoPlan),
  ),

  /** The price of a plan if it started now. */
  preview: procedure.input(input(PlanBody)).query(async ({ ctx, input }) => {
    const preview = await ctx.services.billing.previewPlanChange(input, ctx.asCaller);
    return {
      kind: oneOfWords(CHANGES, preview.kind),
      amountDue: Number(preview.amountDueCents),
      /** The part for minutes beyond the present plan. */
      overageDue: Number(preview.overageDueCents),
      currency: preview.currency,
      description: preview.description,
      effectiveAt: toIsoTime(preview.effectiveAt),
      pricePerMonth: Number(preview.pricePerMonthCents),
      nextChargeAt: toIsoTime(preview.nextChargeAt),
    };
  }),

  setPaymentMethod: payingWhileSuspended
    .input(input(PaymentMethodBody))
    .mutation(async ({ ctx, input }) =>
      fromProtoPaymentMethod(
        (await ctx.services.billing.setPaymentMethod(input, ctx.asCaller)).paymentMethod,
      ),
    ),

  setProfile: procedure
    .input(input(BillingProfileBody))
    .mutation(async ({ ctx, input }) =>
      fromProtoBillingProfile(
        (await ctx.services.billing.setBillingProfile(toProfileRequest(input), ctx.asCaller)).profile,
      ),
    ),

  removePaymentMethod: payingWhileSuspended.mutation(async ({ ctx }) => {
    await ctx.services.billing.deletePaymentMethod({}, ctx.asCaller);
    return null;
  }),

  invoices: procedure.input(input(PageQuery)).query(async ({ ctx, input }) => {
    const page = pageOf(input);
    const answer = await ctx.services.billing.listInvoices({ ...page, withLines: true }, ctx.asCaller);
    return {
      data: answer.invoices.map((invoice) => ({
        ...fromProtoInvoice(invoice, ctx.routes.downloads),
        ...toListedInvoice(invoice),
      })),
      pagination: toPagination(page, answer.total),
    };
  }),
});

function toPlanRequest({ planId, maxAmount }: Static<typeof AgreedPlan>) {
  return { planId, maxAmountCents: BigInt(maxAmount) };
}
