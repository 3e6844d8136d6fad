import { fromProtoAccount } from '../mapping/account.ts';
import { fromProtoBillingInfo, fromProtoUsage } from '../mapping/billing.ts';
import { toIsoTime } from '../mapping/messages.ts';
import { UsageQuery } from '../schemas/billing.ts';
import { input, procedure, router } from './trpc.ts';

export const accountRouter = router({
  /** Who has signed in, and what the plan allows. */
  get: procedure.query(async ({ ctx }) => {
    const { services, asCaller, principal } = ctx;
    const [account, billing] = await Promise.all([
      services.account.getAccount({}, asCaller),
      services.billing.getBillingInfo({}, asCaller),
    ]);
    return {
      ...fromProtoAccount(account),
      plan: fromProtoBillingInfo(billing).plan,
      maxFileSizeBytes: principal.maxFileSizeBytes,
    };
  }),

  /** The report of a period with its days of UTC, those without a job left out. */
  usage: procedure.input(input(UsageQuery)).query(async ({ ctx, input }) => {
    const { period = 'current' } = input;
    const report = await ctx.services.billing.getUsage({ period, byDay: true }, ctx.asCaller);
    return {
      ...fromProtoUsage(report),
      days: report.days.map(({ day, sourceDurationMs, jobsCompleted, jobsFailed }) => ({
        day: toIsoTime(day).slice(0, 10),
        seconds: Number(sourceDurationMs) / 1000,
        jobsCompleted: Number(jobsCompleted),
        jobsFailed: Number(jobsFailed),
      })),
    };
  }),
});
