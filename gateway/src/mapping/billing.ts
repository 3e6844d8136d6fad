import type {
  ChangePlanResponse,
  GetBillingInfoResponse,
  GetUsageResponse,
  BillingProfile as ProtoBillingProfile,
  Invoice as ProtoInvoice,
  PaymentMethod as ProtoPaymentMethod,
  Plan as ProtoPlan,
  Refund as ProtoRefund,
  SpendLimit as ProtoSpendLimit,
  Subscription,
} from '@audiosplit/proto/billing/v1/billing';
import type { DownloadLinks } from '../downloads/download-links.ts';
import type {
  BillingInfo,
  BillingProfile,
  CanceledSubscription,
  ChangedPlan,
  Invoice,
  InvoiceStatus,
  PaymentMethod,
  Plan,
  Refund,
  SpendLimit,
  Subscribed,
  SubscriptionStatus,
  Usage,
} from '../schemas/billing.ts';
import { oneOfWords, present, toIsoTime, toIsoTimeOrNull } from './messages.ts';

const SUBSCRIPTION_STATUSES: readonly SubscriptionStatus[] = [
  'incomplete',
  'active',
  'past_due',
  'unpaid',
  'canceled',
];
const INVOICE_STATUSES: readonly InvoiceStatus[] = ['draft', 'open', 'paid', 'uncollectible', 'void'];
const REFUND_STATUSES: readonly Refund['status'][] = ['pending', 'succeeded', 'failed'];

export function fromProtoPlan(plan: ProtoPlan): Plan {
  const { overageMillicentsPerMinute: overage } = plan;
  return {
    id: plan.id,
    name: plan.name,
    monthlyMinutes: plan.monthlyMinutes,
    maxFileSize: Number(plan.maxFileSizeBytes),
    maxOutputBytes: Number(plan.maxOutputBytes),
    pricePerMonth: Number(plan.pricePerMonthCents),
    currency: plan.currency,
    concurrentJobs: plan.concurrentJobs,
    requestsPerMinute: plan.requestsPerMinute,
    overageMillicentsPerMinute: overage === undefined ? null : Number(overage),
  };
}

export function toSubscribed(answer: { readonly subscription?: Subscription | undefined }): Subscribed {
  const { id, planId, status, currentPeriodStart, currentPeriodEnd } = subscriptionOf(answer);
  return { subscription: { id, planId, status, currentPeriodStart, currentPeriodEnd } };
}

export function toChangedPlan(answer: ChangePlanResponse): ChangedPlan {
  const { id, planId, scheduledPlanId, status, currentPeriodEnd } = subscriptionOf(answer);
  const { proration } = answer;
  return {
    subscription: {
      id,
      planId,
      ...(scheduledPlanId === undefined ? {} : { scheduledPlanId }),
      status,
      currentPeriodEnd,
    },
    ...(proration === undefined
      ? {}
      : {
          proration: {
            amount: Number(proration.amountCents),
            currency: proration.currency,
            description: proration.description,
          },
        }),
    message: describeChange(planId, scheduledPlanId, currentPeriodEnd, proration !== undefined),
  };
}

export function toCanceled(answer: {
  readonly subscription?: Subscription | undefined;
}): CanceledSubscription {
  const { id, status, cancelAtPeriodEnd, currentPeriodEnd } = subscriptionOf(answer);
  return {
    subscription: { id, status, cancelAtPeriodEnd, currentPeriodEnd },
    message: cancelAtPeriodEnd
      ? `Your subscription ends on ${currentPeriodEnd}; until then nothing changes.`
      : 'Your subscription has ended; the account is on the Free plan now.',
  };
}

export function fromProtoBillingInfo({
  plan,
  subscription,
  paymentMethod,
}: GetBillingInfoResponse): BillingInfo {
  return {
    plan: fromProtoPlan(present(plan, 'a plan')),
    subscription: subscription === undefined ? null : toSummary(subscription),
    paymentMethod: paymentMethod === undefined ? null : fromProtoPaymentMethod(paymentMethod),
  };
}

export function fromProtoPaymentMethod(method: ProtoPaymentMethod | undefined): PaymentMethod {
  const { type, last4, brand, expiresMonth, expiresYear } = present(method, 'a payment method');
  return { type, last4, brand, expiresMonth, expiresYear };
}

export function fromProtoInvoice(invoice: ProtoInvoice, links: DownloadLinks): Invoice {
  return {
    ...toInvoiceFields(invoice),
    pdfUrl: links.signer()(invoice.pdfObjectKey, `${invoice.number}.pdf`).url,
  };
}

/** With its lines, but without a link to its file. */
export function toListedInvoice(invoice: ProtoInvoice) {
  const lines = invoice.lines.map(({ description, amountCents }) => ({
    description,
    amount: Number(amountCents),
  }));
  return { ...toInvoiceFields(invoice), lines };
}

function toInvoiceFields(invoice: ProtoInvoice): Omit<Invoice, 'pdfUrl'> {
  const refunds = invoice.refunds.map((refund) => fromProtoRefund(refund, invoice.currency));
  return {
    id: invoice.id,
    number: invoice.number,
    status: oneOfWords(INVOICE_STATUSES, invoice.status),
    amount: Number(invoice.amountCents),
    currency: invoice.currency,
    periodStart: toIsoTime(invoice.periodStart),
    periodEnd: toIsoTime(invoice.periodEnd),
    paidAt: toIsoTimeOrNull(invoice.paidAt),
    ...fromProtoBillingProfile(invoice),
    amountRefunded: refunds.reduce((sum, { amount, status }) => sum + (status === 'failed' ? 0 : amount), 0),
    refunds,
  };
}

export function fromProtoRefund(
  { id, amountCents, reason, status, createdAt }: ProtoRefund,
  currency: string,
): Refund {
  return {
    id,
    amount: Number(amountCents),
    currency,
    reason,
    status: oneOfWords(REFUND_STATUSES, status),
    createdAt: toIsoTime(createdAt),
  };
}

export function fromProtoBillingProfile(
  profile: Pick<ProtoBillingProfile, 'companyName' | 'taxId'> | undefined,
): BillingProfile {
  return { companyName: profile?.companyName ?? null, taxId: profile?.taxId ?? null };
}

export function fromProtoSpendLimit(limit: ProtoSpendLimit | undefined): SpendLimit {
  const { amountCents, currency, spentCents } = present(limit, 'a spend limit');
  return {
    amount: amountCents === undefined ? null : Number(amountCents),
    currency,
    spent: Number(spentCents),
  };
}

export function fromProtoUsage(usage: GetUsageResponse): Usage {
  return {
    period: { start: toIsoTime(usage.periodStart), end: toIsoTime(usage.periodEnd) },
    usage: {
      minutesProcessed: Number(usage.minutesProcessed),
      minutesIncluded: Number(usage.minutesIncluded),
      minutesOverage: Number(usage.minutesOverage),
      jobsCompleted: Number(usage.jobsCompleted),
      jobsFailed: Number(usage.jobsFailed),
      jobsCanceled: Number(usage.jobsCanceled),
      storageUsedBytes: Number(usage.storageUsedBytes),
    },
    cost: {
      basePlan: Number(usage.basePlanCents),
      overage: Number(usage.overageCents),
      total: Number(usage.totalCents),
      currency: usage.currency,
    },
  };
}

interface SubscriptionFields extends NonNullable<BillingInfo['subscription']> {
  readonly id: string;
  readonly planId: string;
  readonly scheduledPlanId: string | undefined;
}

function subscriptionOf(answer: { readonly subscription?: Subscription | undefined }): SubscriptionFields {
  const subscription = present(answer.subscription, 'a subscription');
  const { id, planId, scheduledPlanId } = subscription;
  return { id, planId, scheduledPlanId, ...toSummary(subscription) };
}

function toSummary(subscription: Subscription): NonNullable<BillingInfo['subscription']> {
  return {
    status: oneOfWords(SUBSCRIPTION_STATUSES, subscription.status),
    currentPeriodStart: toIsoTime(subscription.currentPeriodStart),
    currentPeriodEnd: toIsoTime(subscription.currentPeriodEnd),
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
  };
}

function describeChange(
  planId: string,
  scheduledPlanId: string | undefined,
  currentPeriodEnd: string,
  isUpgrade: boolean,
): string {
  if (scheduledPlanId !== undefined) return `You move to ${scheduledPlanId} on ${currentPeriodEnd}.`;
  return isUpgrade
    ? `You are on ${planId} from now on.`
    : `You stay on ${planId}; nothing else is scheduled.`;
}
