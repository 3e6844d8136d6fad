import { fromProtoAccount, fromProtoExport } from '../mapping/account.ts';
import { fromProtoBillingInfo, fromProtoUsage } from '../mapping/billing.ts';
import { toIsoTime } from '../mapping/messages.ts';
import { startExport } from '../routes/account.ts';
import { CreateExportBody, DeleteAccountBody } from '../schemas/account.ts';
import { UsageQuery } from '../schemas/billing.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { input, procedure, procedureWhilePending, procedureWhileSuspended, router } from './trpc.ts';

export const accountRouter = router({
  /** The signed-in account and the limits of its plan. */
  get: procedureWhilePending.query(async ({ ctx }) => {
    const { services, asCaller, principal } = ctx;
    const [account, billing] = await Promise.all([
      services.account.getAccount({}, asCaller),
      services.billing.getBillingInfo({}, asCaller),
    ]);
    return {
      ...fromProtoAccount(account, principal),
      plan: fromProtoBillingInfo(billing).plan,
      maxFileSizeBytes: principal.maxFileSizeBytes,
      mustVerifyEmail: principal.mustVerifyEmail,
      /** Stays true for a moment after a restoration, until every service has the change. */
      isClosed: principal.kind === 'account' && principal.pendingDeletion,
    };
  }),

  /** Usage of a period by UTC day. Days without jobs are omitted. */
  usage: procedure.input(input(UsageQuery)).query(async ({ ctx, input }) => {
    const { period = 'current' } = input;
    const report = await ctx.services.billing.getUsage({ period, byDay: true }, ctx.asCaller);
    return {
      ...fromProtoUsage(report),
      days: report.days.map(({ day, sourceDurationMs, jobsCompleted, jobsFailed, jobsCanceled }) => ({
        day: toIsoTime(day).slice(0, 10),
        seconds: Number(sourceDurationMs) / 1000,
        jobsCompleted: Number(jobsCompleted),
        jobsFailed: Number(jobsFailed),
        jobsCanceled: Number(jobsCanceled),
      })),
    };
  }),

  exports: procedure.input(input(PageQuery)).query(async ({ ctx, input }) => {
    const page = pageOf(input);
    const { exports, total } = await ctx.services.account.listExports(page, ctx.asCaller);
    return {
      data: exports.map((each) => fromProtoExport(each, ctx.routes.downloads)),
      pagination: toPagination(page, total),
    };
  }),

  createExport: procedureWhileSuspended
    .input(input(CreateExportBody))
    .mutation(({ ctx, input }) => startExport(ctx.services, ctx.principal, input)),

  remove: procedureWhilePending.input(input(DeleteAccountBody)).mutation(async ({ ctx, input }) => {
    const answer = await ctx.services.account.deleteAccount(input, ctx.asCaller);
    return { deletionScheduledAt: toIsoTime(answer.deletionScheduledAt) };
  }),

  restore: procedureWhilePending.mutation(async ({ ctx }) =>
    fromProtoAccount(await ctx.services.account.restoreAccount({}, ctx.asCaller), ctx.principal),
  ),
});
