import { Type } from 'typebox';
import { input } from '../console/trpc.ts';
import { toIsoTime } from '../mapping/messages.ts';
import { CLOSED } from '../schemas/fields.ts';
import { procedure, router } from './trpc.ts';

const ListInput = Type.Object(
  {
    /** Empty: of all. */
    accountId: Type.String({ maxLength: 255 }),
    page: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  },
  CLOSED,
);

export const actsRouter = router({
  /** Actions of operators, newest first. */
  list: procedure.input(input(ListInput)).query(async ({ ctx, input }) => {
    const { acts, hasMore } = await ctx.billing.listActs(input);
    return {
      acts: acts.map(({ id, begunAt, operator, action, reason, inputJson, accountId, outcome }) => ({
        id,
        at: toIsoTime(begunAt),
        operator,
        action,
        reason,
        input: inputJson,
        accountId: accountId === '' ? null : accountId,
        outcome: outcome ?? null,
      })),
      hasMore,
    };
  }),
});
