import type { AccountSummary } from '@audiosplit/proto/billing/v1/operators';
import { FIGURES, type Figure } from '@audiosplit/proto/vocabulary';
import { Type } from 'typebox';
import { input } from '../console/trpc.ts';
import { invalidParams } from '../http/input/validation.ts';
import { fromIsoTime, present, toIsoTime, toIsoTimeOrNull } from '../mapping/messages.ts';
import { CLOSED, timestamp } from '../schemas/fields.ts';
import { procedure, router } from './trpc.ts';

const AccountId = Type.String({ minLength: 1, maxLength: 255 });
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
  },
  CLOSED,
);
const ClockInput = Type.Object({ accountId: AccountId, now: timestamp('The time to move to.') }, CLOSED);

export const accountsRouter = router({
  /** Searches by id or by the start of an email address. Without either, lists accounts with overrides. */
  find: procedure.input(input(FindInput)).query(async ({ ctx, input }) => {
    const { accounts, hasMore } = await ctx.billing.findAccounts(input);
    return { accounts: accounts.map(fromSummary), hasMore };
  }),

  get: procedure.input(input(AccountInput)).query(async ({ ctx, input }) => {
    const { account, ownPlan, subscription, clock } = await ctx.billing.getAccount(input);
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
    };
  }),

  changeOverrides: procedure.input(input(ChangeInput)).mutation(async ({ ctx, input }) => {
    const changes = input.changes.map(({ figure, value }) =>
      value === null ? { figure } : { figure, value: BigInt(value) },
    );
    await ctx.billing.changeOverrides({ accountId: input.accountId, changes });
    return null;
  }),

  /** Only works with the payment provider's sandbox. */
  moveClock: procedure.input(input(ClockInput)).mutation(async ({ ctx, input }) => {
    const now = fromIsoTime(input.now);
    if (now === undefined) throw invalidParams([{ field: 'now', message: 'is no time that there is' }]);
    await ctx.billing.moveClock({ accountId: input.accountId, now });
    return { clock: toIsoTime(now) };
  }),
});

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
