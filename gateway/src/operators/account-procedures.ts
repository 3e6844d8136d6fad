import { hasReason } from '@audiosplit/chassis/rpc/errors';
import type { AccountSummary } from '@audiosplit/proto/billing/v1/operators';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { FIGURES, type Figure } from '@audiosplit/proto/vocabulary';
import { Type } from 'typebox';
import { input } from '../console/trpc.ts';
import { invalidParams } from '../http/input/validation.ts';
import { fromProtoUsage, INVOICE_STATUSES } from '../mapping/billing.ts';
import { fromIsoTime, oneOfWords, present, toIsoTime, toIsoTimeOrNull } from '../mapping/messages.ts';
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
const ClockInput = Type.Object(
  { accountId: AccountId, now: timestamp('The time to move to.'), reason: ActReason },
  CLOSED,
);

export const accountsRouter = router({
  /**
   * Searches by id, that of a job too, or by the start of an email address. Without either, lists accounts with
   * overrides.
   */
  find: procedure.input(input(FindInput)).query(async ({ ctx, input }) => {
    const job = await jobOf(ctx.jobs, input.query.trim());
    const query = job?.accountId ?? input.query;
    const { accounts, hasMore } = await ctx.billing.findAccounts({ query });
    return { accounts: accounts.map(fromSummary), hasMore, job: job ?? null };
  }),

  get: procedure.input(input(AccountInput)).query(async ({ ctx, input }) => {
    const { account, ownPlan, subscription, clock, usage, invoices } = await ctx.billing.getAccount(input);
    const summary = present(account, 'an account');
    const overrides = present(summary.overrides, 'overrides');
    return {
      ...fromSummary(summary),
      subscriptionStatus: subscription?.status ?? null,
      periodEnd: toIsoTimeOrNull(subscription?.currentPeriodEnd),
      figures: FIGURES.map((figure) => ({
        figure,
        ofPlan: numberOrNull(present(ownPlan, 'a plan')[figure]),
        override: numberOrNull(overrides[figure]),
        effective: numberOrNull(present(summary.plan, 'a plan')[figure]),
      })),
      clock: toIsoTimeOrNull(clock),
      usage: fromProtoUsage(present(usage, 'usage')),
      invoices: invoices.map((invoice) => ({
        id: invoice.id,
        number: invoice.number,
        status: oneOfWords(INVOICE_STATUSES, invoice.status),
        amount: Number(invoice.amountCents),
        currency: invoice.currency,
        periodStart: toIsoTime(invoice.periodStart),
        paidAt: toIsoTimeOrNull(invoice.paidAt),
        lines: invoice.lines.map(({ description }) => description),
      })),
    };
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

/** Undefined for what is no job's id. */
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
