/** Maps billing's types to and from protobuf messages. */
import {
  type GetUsageResponse,
  GetUsageResponseSchema,
  type Invoice as InvoiceMessage,
  InvoiceSchema,
  type PaymentMethod as PaymentMethodMessage,
  PaymentMethodSchema,
  type Plan as PlanMessage,
  PlanSchema,
  type PreviewPlanChangeResponse,
  PreviewPlanChangeResponseSchema,
  type SetAccountOverridesRequest,
  type Subscription as SubscriptionMessage,
  SubscriptionSchema,
} from '@audiosplit/proto/billing/v1/billing';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Invoice, type InvoiceLine, invoiceObjectKey } from './invoices/invoice.ts';
import type { Overrides } from './limits/overrides.ts';
import type { Card } from './payment/payment-provider.ts';
import type { Plan } from './plans/plans.ts';
import type { Refund } from './refunds/refund.ts';
import type { BillingProfile } from './store/accounts.ts';
import type { PlanChangePreview } from './subscription/preview-plan-change.ts';
import type { Subscription } from './subscription/subscription.ts';
import type { SpendLimit } from './usage/set-spend-limit.ts';
import type { DayUsage } from './usage/usage.ts';
import type { UsageReport } from './usage/usage-report.ts';

export function toProtoPlan(plan: Plan): PlanMessage {
  const { overageMillicentsPerMinute, ...figures } = plan;
  return create(PlanSchema, {
    ...figures,
    maxFileSizeBytes: BigInt(plan.maxFileSizeBytes),
    maxOutputBytes: BigInt(plan.maxOutputBytes),
    pricePerMonthCents: BigInt(plan.pricePerMonthCents),
    ...(overageMillicentsPerMinute === undefined
      ? {}
      : { overageMillicentsPerMinute: BigInt(overageMillicentsPerMinute) }),
  });
}

export function toProtoSubscription(subscription: Subscription): SubscriptionMessage {
  const { id, planId, scheduledPlanId, status, cancelAtPeriodEnd } = subscription;
  return create(SubscriptionSchema, {
    id,
    planId,
    status,
    cancelAtPeriodEnd,
    currentPeriodStart: timestampFromDate(subscription.currentPeriodStart),
    currentPeriodEnd: timestampFromDate(subscription.currentPeriodEnd),
    ...(scheduledPlanId === undefined ? {} : { scheduledPlanId }),
  });
}

export function toProtoPaymentMethod(card: Card): PaymentMethodMessage {
  const { type, last4, brand, expiresMonth, expiresYear } = card;
  return create(PaymentMethodSchema, { type, last4, brand, expiresMonth, expiresYear });
}

export function toProtoPreview(preview: PlanChangePreview): PreviewPlanChangeResponse {
  return create(PreviewPlanChangeResponseSchema, {
    ...preview,
    amountDueCents: BigInt(preview.amountDueCents),
    overageDueCents: BigInt(preview.overageDueCents),
    pricePerMonthCents: BigInt(preview.pricePerMonthCents),
    effectiveAt: timestampFromDate(preview.effectiveAt),
    nextChargeAt: timestampFromDate(preview.nextChargeAt),
  });
}

/** The requested parts of an invoice besides its fields. */
interface InvoiceParts {
  readonly lines?: readonly InvoiceLine[] | undefined;
  readonly refunds?: readonly Refund[] | undefined;
}

export function toProtoInvoice(
  invoice: Invoice,
  { lines = [], refunds = [] }: InvoiceParts = {},
): InvoiceMessage {
  const { id, number, status, currency, paidAt } = invoice;
  return create(InvoiceSchema, {
    id,
    number,
    status,
    currency,
    amountCents: BigInt(invoice.amountCents),
    periodStart: timestampFromDate(invoice.periodStart),
    periodEnd: timestampFromDate(invoice.periodEnd),
    pdfObjectKey: invoiceObjectKey(invoice),
    lines: lines.map(({ description, amountCents }) => ({ description, amountCents: BigInt(amountCents) })),
    refunds: refunds.map(toProtoRefund),
    ...(paidAt === undefined ? {} : { paidAt: timestampFromDate(paidAt) }),
    ...toProtoProfile(invoice.billedTo),
  });
}

export function toProtoRefund({ id, amountCents, reason, state, createdAt }: Refund) {
  return {
    id,
    amountCents: BigInt(amountCents),
    reason,
    status: state,
    createdAt: timestampFromDate(createdAt),
  };
}

/** Absent fields are omitted. */
export function toProtoProfile({ companyName, taxId }: BillingProfile) {
  return {
    ...(companyName === undefined ? {} : { companyName }),
    ...(taxId === undefined ? {} : { taxId }),
  };
}

export function toProtoUsage(report: UsageReport, days: readonly DayUsage[] = []): GetUsageResponse {
  const { totals, baseCents, overageCents } = report;
  return create(GetUsageResponseSchema, {
    periodStart: timestampFromDate(report.period.start),
    periodEnd: timestampFromDate(report.period.end),
    minutesProcessed: BigInt(report.minutesProcessed),
    minutesIncluded: BigInt(report.minutesIncluded),
    minutesOverage: BigInt(report.minutesOverage),
    jobsCompleted: BigInt(totals.jobsCompleted),
    jobsFailed: BigInt(totals.jobsFailed),
    jobsCanceled: BigInt(totals.jobsCanceled),
    storageUsedBytes: BigInt(report.storedBytes),
    basePlanCents: BigInt(baseCents),
    overageCents: BigInt(overageCents),
    totalCents: BigInt(baseCents + overageCents),
    currency: 'usd',
    days: days.map(({ day, sourceDurationMs, jobsCompleted, jobsFailed, jobsCanceled }) => ({
      day: timestampFromDate(day),
      sourceDurationMs: BigInt(sourceDurationMs),
      jobsCompleted: BigInt(jobsCompleted),
      jobsFailed: BigInt(jobsFailed),
      jobsCanceled: BigInt(jobsCanceled),
    })),
  });
}

export function toProtoSpendLimit({ limitCents, currency, spentCents }: SpendLimit) {
  return {
    ...(limitCents === undefined ? {} : { amountCents: BigInt(limitCents) }),
    currency,
    spentCents: BigInt(spentCents),
  };
}

export function fromProtoOverrides(request: SetAccountOverridesRequest): Overrides {
  return {
    requestsPerMinute: request.requestsPerMinute,
    concurrentJobs: request.concurrentJobs,
    maxFileSizeBytes: numberOrAbsent(request.maxFileSizeBytes),
    monthlyMinutes: request.monthlyMinutes,
    pricePerMonthCents: numberOrAbsent(request.pricePerMonthCents),
    overageMillicentsPerMinute: numberOrAbsent(request.overageMillicentsPerMinute),
  };
}

/** Absent figures are omitted. */
export function toProtoOverrides(overrides: Overrides) {
  const { requestsPerMinute, concurrentJobs, maxFileSizeBytes, monthlyMinutes } = overrides;
  const { pricePerMonthCents, overageMillicentsPerMinute } = overrides;
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(concurrentJobs === undefined ? {} : { concurrentJobs }),
    ...(maxFileSizeBytes === undefined ? {} : { maxFileSizeBytes: BigInt(maxFileSizeBytes) }),
    ...(monthlyMinutes === undefined ? {} : { monthlyMinutes }),
    ...(pricePerMonthCents === undefined ? {} : { pricePerMonthCents: BigInt(pricePerMonthCents) }),
    ...(overageMillicentsPerMinute === undefined
      ? {}
      : { overageMillicentsPerMinute: BigInt(overageMillicentsPerMinute) }),
  };
}

function numberOrAbsent(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
