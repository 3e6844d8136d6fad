import { hasReason } from '@audiosplit/chassis/rpc/errors';
import type { AccountSummary } from '@audiosplit/proto/billing/v1/operators';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { FIGURES, type Figure } from '@audiosplit/proto/vocabulary';
import { Type } from 'typebox';
import { input } from '../console/trpc.ts';
import { fromProtoSuspension } from '../credentials/suspension.ts';
import { invalidParams } from '../http/input/validation.ts';
import { fromProtoRefund, fromProtoUsage, toListedInvoice } from '../mapping/billing.ts';
import { fromIsoTime, present, toIsoTime, toIsoTimeOrNull } from '../mapping/messages.ts';
import { PAYMENT_TIMEOUT_MS } from '../routes/billing.ts';
import { CLOSED, timestamp } from '../schemas/fields.ts';
import { fromProtoAccountJob } from './account-jobs.ts';
import { ActReason, act, type OperatorsContext, procedure, router } from './trpc.ts';

export const AccountId = Type.String({ minLength: 1, maxLength: 255 });
const JOB_ID = /^job_\w{1,60}$/;
const FindInput = Type.Object({ query: Type.String({ maxLength: 320 }) }, CLOSED);
const AccountInput = Type.Object({ accountId: AccountId }, CLOSED);
const ChangeInput = Type.Object(
  {
    accountId: AccountId,
    /** Null restores the plan's value. */
    changes: Type.Array(
      Type.Object(
        {
          figure: Type.Enum([...FIGURES], { type: 'string' }),
          value: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
        },
        CLOSED,
      ),
      { minItems: 1, maxItems: FIGURES.length },
    ),
    reason: ActReason,
  },
  CLOSED,
);
const ReasonedInput = Type.Object({ accountId: AccountId, reason: ActReason }, CLOSED);
const RefundInput = Type.Object(
  {
    accountId: AccountId,
    invoiceId: AccountId,
    /** In minor units. */
    amount: Type.Integer({ minimum: 1, maximum: 99_999_999 }),
    reason: ActReason,
    /** The same for every attempt at one refund. */
    requestKey: Type.String({ pattern: '^[\\w-]{8,64}$' }),
  },
  CLOSED,
);
const ClockInput = Type.Object(
  { accountId: AccountId, now: timestamp('The time to move to.'), reason: ActReason },
  CLOSED,
);

export const accountsRouter = router({
  /**
   * Searches by id, including that of a job, or by the beginning of a mail address. Without a query, lists
   * accounts with overrides.
   */
  find: procedure.input(input(FindInput)).query(async ({ ctx, input }) => {
    const job = await jobOf(ctx.jobs, input.query.trim());
    const query = job?.accountId ?? input.query;
    const { accounts, hasMore } = await ctx.billing.findAccounts({ query });
    return { accounts: accounts.map(fromSummary), hasMore, job: job ?? null };
  }),

  get: procedure.input(input(AccountInput)).query(async ({ ctx, input }) => {
    const answer = await ctx.billing.getAccount(input);
    const { account, ownPlan, subscription, clock, usage, invoices } = answer;
    const summary = present(account, 'an account');
    const overrides = present(summary.overrides, 'overrides');
    return {
      ...fromSummary(summary),
      subscriptionStatus: subscription?.status ?? null,
      periodEnd: toIsoTimeOrNull(subscription?.currentPeriodEnd),
      suspension: fromProtoSuspension(answer) ?? null,
      figures: FIGURES.map((figure) => ({
        figure,
        ofPlan: numberOrNull(present(ownPlan, 'a plan')[figure]),
        override: numberOrNull(overrides[figure]),
        effective: numberOrNull(present(summary.plan, 'a plan')[figure]),
      })),
      clock: toIsoTimeOrNull(clock),
      usage: fromProtoUsage(present(usage, 'usage')),
      invoices: invoices.map(toListedInvoice),
    };
  }),

  /** Null: the account signs in at an external issuer. */
  signIn: procedure.input(input(AccountInput)).query(async ({ ctx, input }) => {
    try {
      const { emailVerified, secondFactorSince, sessions } = await ctx.auth.getSignIn(input);
      return { emailVerified, secondFactorSince: toIsoTimeOrNull(secondFactorSince), sessions };
    } catch (error) {
      if (hasReason(error, Reason.NOT_FOUND)) return null;
      throw error;
    }
  }),

  turnOffSecondFactor: act(ReasonedInput).mutation(async ({ ctx, input: { accountId } }) => {
    await ctx.auth.turnOffSecondFactor({ accountId });
    return null;
  }),

  refund: act(RefundInput).mutation(async ({ ctx, input: { amount, ...input } }) => {
    const { refund } = await ctx.billing.refundInvoice(
      { ...input, amountCents: BigInt(amount) },
      { timeoutMs: PAYMENT_TIMEOUT_MS },
    );
    return { status: fromProtoRefund(present(refund, 'a refund'), '').status };
  }),

  suspend: act(ReasonedInput).mutation(async ({ ctx, input }) => {
    await ctx.billing.suspendAccount(input);
    return null;
  }),

  restore: act(ReasonedInput).mutation(async ({ ctx, input }) => {
    await ctx.billing.restoreAccount(input);
    return null;
  }),

  changeOverrides: act(ChangeInput).mutation(async ({ ctx, input }) => {
    const changes = input.changes.map(({ figure, value }) =>
      value === null ? { figure } : { figure, value: BigInt(value) },
    );
    await ctx.billing.changeOverrides({ accountId: input.accountId, changes });
    return null;
  }),

  /** Only works with the payment provider's sandbox. */
  moveClock: act(ClockInput).mutation(async ({ ctx, input }) => {
    const now = fromIsoTime(input.now);
    if (now === undefined) throw invalidParams([{ field: 'now', message: 'is no time that there is' }]);
    await ctx.billing.moveClock({ accountId: input.accountId, now });
    return { clock: toIsoTime(now) };
  }),
});

/** Undefined unless the query is the id of a job. */
async function jobOf(jobs: OperatorsContext['jobs'], query: string) {
  if (!JOB_ID.test(query)) return undefined;
  try {
    const { accountId, job } = await jobs.findJob({ jobId: query });
    return { accountId, ...fromProtoAccountJob(present(job, 'a job')) };
  } catch (error) {
    if (hasReason(error, Reason.JOB_NOT_FOUND)) return undefined;
    throw error;
  }
}

function fromSummary({ accountId, email, name, plan, overrides }: AccountSummary) {
  return {
    accountId,
    email,
    name,
    plan: present(plan, 'a plan').name,
    overrides: FIGURES.flatMap((figure): { readonly figure: Figure; readonly value: number }[] => {
      const value = overrides?.[figure];
      return value === undefined ? [] : [{ figure, value: Number(value) }];
    }),
  };
}

function numberOrNull(value: number | bigint | undefined): number | null {
  return value === undefined ? null : Number(value);
}
