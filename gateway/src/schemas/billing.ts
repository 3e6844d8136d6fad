import { type Static, Type } from 'typebox';
import {
  CLOSED,
  currency,
  minorUnits,
  nullableName,
  nullableTimestamp,
  oneOf,
  pathId,
  timestamp,
} from './fields.ts';
import { Pagination } from './pagination.ts';
import { PATTERNS } from './patterns.ts';
import { ref } from './ref.ts';

const subscriptionStatus = oneOf(
  ['incomplete', 'active', 'past_due', 'unpaid', 'canceled'],
  'Where the subscription stands.',
);
export type SubscriptionStatus = Static<typeof subscriptionStatus>;

const currentPeriodStart = timestamp('When the running period began.');
const currentPeriodEnd = timestamp('When the running period ends.');
const cancelAtPeriodEnd = Type.Boolean({ description: 'Whether it ends with the running period.' });

export const Plan = Type.Object(
  {
    id: Type.String({ description: 'Also used as planId.', examples: ['plan_pro'] }),
    name: Type.String(),
    monthlyMinutes: Type.Integer({ description: 'Minutes of audio included per month.' }),
    maxFileSize: Type.Integer({ description: 'Largest source file, in bytes.' }),
    maxOutputBytes: Type.Integer({
      description: 'Most that all segments of a job may take together, in bytes.',
    }),
    pricePerMonth: minorUnits('Price per month'),
    currency,
    concurrentJobs: Type.Integer({ description: 'Jobs that are worked on at once; others wait.' }),
    requestsPerMinute: Type.Integer({ description: 'Requests per minute and API key.' }),
    overageMillicentsPerMinute: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Price of each minute beyond the included ones, in thousandths of a minor unit of the currency: 800 is $0.008. ' +
        'Null: there is none, work beyond is refused.',
    }),
  },
  { $id: 'Plan' },
);
export type Plan = Static<typeof Plan>;

export const PlanList = Type.Object({ data: Type.Array(ref(Plan)) }, { $id: 'PlanList' });

export const PlanBody = Type.Object(
  { planId: oneOf(['plan_starter', 'plan_pro', 'plan_enterprise'], 'The plan to be on.') },
  CLOSED,
);

export const Subscribed = Type.Object(
  {
    subscription: Type.Object({
      id: Type.String(),
      planId: Type.String(),
      status: subscriptionStatus,
      currentPeriodStart,
      currentPeriodEnd,
    }),
  },
  { $id: 'Subscribed' },
);
export type Subscribed = Static<typeof Subscribed>;

export const ChangedPlan = Type.Object(
  {
    subscription: Type.Object({
      id: Type.String(),
      planId: Type.String(),
      scheduledPlanId: Type.Optional(
        Type.String({ description: 'After a downgrade: the plan of the next period.' }),
      ),
      status: subscriptionStatus,
      currentPeriodEnd,
    }),
    proration: Type.Optional(
      Type.Object(
        { amount: minorUnits('What was charged for it'), currency, description: Type.String() },
        {
          description:
            'After an upgrade: the charge for the rest of the period. Minutes used beyond the old plan are charged with it, at the old rate: a line of their own on the invoice.',
        },
      ),
    ),
    message: Type.String(),
  },
  { $id: 'ChangedPlan' },
);
export type ChangedPlan = Static<typeof ChangedPlan>;

export const CancelBody = Type.Object(
  {
    reason: Type.Optional(
      Type.String({ maxLength: 2000, description: 'Why the subscription is canceled, for the operators.' }),
    ),
    immediate: Type.Optional(
      Type.Boolean({ default: false, description: 'End now instead of with the running period.' }),
    ),
  },
  CLOSED,
);

export const CanceledSubscription = Type.Object(
  {
    subscription: Type.Object({
      id: Type.String(),
      status: subscriptionStatus,
      cancelAtPeriodEnd,
      currentPeriodEnd,
    }),
    message: Type.String(),
  },
  { $id: 'CanceledSubscription' },
);
export type CanceledSubscription = Static<typeof CanceledSubscription>;

export const PaymentMethodBody = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "The payment provider's token for a card; card data itself is never sent here.",
    }),
  },
  CLOSED,
);

export const PaymentMethod = Type.Object(
  {
    type: Type.String({ examples: ['card'] }),
    last4: Type.String(),
    brand: Type.String(),
    expiresMonth: Type.Integer(),
    expiresYear: Type.Integer(),
  },
  { $id: 'PaymentMethod' },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

const SubscriptionSummary = Type.Object({
  status: subscriptionStatus,
  currentPeriodStart,
  currentPeriodEnd,
  cancelAtPeriodEnd,
});

export const BillingInfo = Type.Object(
  {
    plan: ref(Plan),
    subscription: Type.Union([SubscriptionSummary, Type.Null()], { description: 'Null on the Free plan.' }),
    paymentMethod: Type.Union([ref(PaymentMethod), Type.Null()], { description: 'Null with none on file.' }),
  },
  { $id: 'BillingInfo' },
);
export type BillingInfo = Static<typeof BillingInfo>;

const companyName = nullableName('The company that is billed. Null: none.', 255);
const taxId = nullableName('Its tax id. Null: none.', 64);

export const BillingProfileBody = Type.Object({ companyName, taxId }, CLOSED);

export const BillingProfile = Type.Object({ companyName, taxId }, { $id: 'BillingProfile' });
export type BillingProfile = Static<typeof BillingProfile>;

const invoiceStatus = oneOf(['draft', 'open', 'paid', 'uncollectible', 'void'], 'Where the invoice stands.');
export type InvoiceStatus = Static<typeof invoiceStatus>;

export const Refund = Type.Object(
  {
    id: Type.String(),
    amount: minorUnits('What is given back'),
    currency,
    reason: Type.String(),
    status: oneOf(
      ['pending', 'succeeded', 'failed'],
      'Where the refund stands. One that has succeeded fails if the bank does not take it.',
    ),
    createdAt: timestamp('When it was made.'),
  },
  { $id: 'Refund' },
);
export type Refund = Static<typeof Refund>;

export const Invoice = Type.Object(
  {
    id: Type.String(),
    number: Type.String({ examples: ['INV-202603-000042'] }),
    status: invoiceStatus,
    amount: minorUnits('Total'),
    currency,
    periodStart: timestamp('Begin of what it covers.'),
    periodEnd: timestamp('End of what it covers.'),
    paidAt: nullableTimestamp('Null until paid.'),
    pdfUrl: Type.String({ description: 'Signed link to the PDF.' }),
    companyName: nullableName('The company as it was named when the invoice was issued. Null: none.', 255),
    taxId: nullableName('Its tax id at that time. Null: none.', 64),
    amountRefunded: minorUnits('Given back, pending refunds included'),
    refunds: Type.Array(ref(Refund), { description: 'Oldest first. Those that failed give nothing back.' }),
  },
  { $id: 'Invoice' },
);
export type Invoice = Static<typeof Invoice>;

export const InvoiceParams = Type.Object({ invoiceId: pathId('inv', 'The invoice.') });

export const InvoiceList = Type.Object(
  { data: Type.Array(ref(Invoice)), pagination: ref(Pagination) },
  { $id: 'InvoiceList' },
);

const spendLimitAmount = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 99_999_999,
  description:
    'What minutes beyond the plan may cost in a period, in minor units of the currency. Null: there is no limit.',
});

export const SpendLimitBody = Type.Object({ amount: spendLimitAmount }, CLOSED);

export const SpendLimit = Type.Object(
  {
    amount: spendLimitAmount,
    currency,
    spent: minorUnits('What they have cost in the running period'),
  },
  { $id: 'SpendLimit' },
);
export type SpendLimit = Static<typeof SpendLimit>;

export const UsageQuery = Type.Object(
  {
    period: Type.Optional(
      Type.String({
        pattern: PATTERNS.period,
        default: 'current',
        description:
          '`current`, `previous`, or the month `YYYY-MM`, from 2000 on, in which the period begins.',
      }),
    ),
  },
  CLOSED,
);

export const Usage = Type.Object(
  {
    period: Type.Object({ start: timestamp('Begin.'), end: timestamp('End.') }),
    usage: Type.Object({
      minutesProcessed: Type.Integer(),
      minutesIncluded: Type.Integer(),
      minutesOverage: Type.Integer(),
      jobsCompleted: Type.Integer(),
      jobsFailed: Type.Integer({ description: 'With the canceled ones, whose status is `failed`.' }),
      jobsCanceled: Type.Integer({
        description: 'Of `jobsFailed`: those that were canceled. Of periods before this field it is 0.',
      }),
      storageUsedBytes: Type.Integer({ description: 'Bytes of segments stored now.' }),
    }),
    cost: Type.Object({
      basePlan: minorUnits("The plan's price"),
      overage: minorUnits('Minutes beyond the plan'),
      total: minorUnits('Both together'),
      currency,
    }),
  },
  { $id: 'Usage' },
);
export type Usage = Static<typeof Usage>;

export const SandboxClockBody = Type.Object(
  { now: timestamp('The time it is to be; at or after the present one of the account.') },
  CLOSED,
);

export const SandboxClock = Type.Object(
  { now: timestamp("The account's time in all that concerns billing.") },
  { $id: 'SandboxClock' },
);
