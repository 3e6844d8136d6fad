import { StuckReason } from '@audiosplit/proto/jobs/v1/operators';
import { Type } from 'typebox';
import { input } from '../console/trpc.ts';
import { toIsoTime, toIsoTimeOrNull } from '../mapping/messages.ts';
import { CLOSED } from '../schemas/fields.ts';
import { toPagination } from '../schemas/pagination.ts';
import { fromProtoAccountJob } from './account-jobs.ts';
import { AccountId } from './account-procedures.ts';
import { ActReason, act, procedure, router } from './trpc.ts';

const REASONS = {
  [StuckReason.UNSPECIFIED]: 'unknown',
  [StuckReason.LEASE_OVER]: 'leaseOver',
  [StuckReason.NOT_TAKEN]: 'notTaken',
  [StuckReason.TIME_OVER]: 'timeOver',
} as const satisfies Record<StuckReason, string>;

const AccountJobs = Type.Object(
  { accountId: AccountId, page: Type.Integer({ minimum: 1, maximum: 1_000_000 }) },
  CLOSED,
);
const CancelInput = Type.Object({ accountId: AccountId, jobId: AccountId, reason: ActReason }, CLOSED);
const JOBS_PER_PAGE = 20;

export const jobsRouter = router({
  ofAccount: procedure.input(input(AccountJobs)).query(async ({ ctx, input }) => {
    const { jobs, total } = await ctx.jobs.listAccountJobs(input);
    return {
      data: jobs.map(fromProtoAccountJob),
      pagination: toPagination({ page: input.page, limit: JOBS_PER_PAGE }, total),
    };
  }),

  cancel: act(CancelInput).mutation(async ({ ctx, input: { accountId, jobId } }) => {
    await ctx.jobs.cancelAccountJob({ accountId, jobId });
    return null;
  }),

  /** `now` is of the same clock as the other times; ages are relative to it. */
  queue: procedure.query(async ({ ctx }) => {
    const { now, queued, processing, runnable, accounts } = await ctx.jobs.getQueue({});
    return {
      now: toIsoTime(now),
      queued: Number(queued),
      processing: Number(processing),
      runnable: Number(runnable),
      accounts: accounts.map((account) => ({
        accountId: account.accountId,
        queued: Number(account.queued),
        offered: Number(account.offered),
        processing: Number(account.processing),
        concurrentJobs: account.concurrentJobs ?? null,
        oldestQueuedAt: toIsoTimeOrNull(account.oldestQueuedAt),
      })),
    };
  }),

  workers: procedure.query(async ({ ctx }) => {
    const { now, workers, leases, leaseCount } = await ctx.jobs.listWorkers({});
    return {
      now: toIsoTime(now),
      workers: workers.map(({ workerId, leaseCount, earliestLeaseUntil }) => ({
        workerId,
        leaseCount,
        earliestLeaseUntil: toIsoTime(earliestLeaseUntil),
      })),
      leases: leases.map((lease) => ({
        jobId: lease.jobId,
        part: lease.part ?? null,
        accountId: lease.accountId,
        workerId: lease.workerId,
        fence: Number(lease.fence),
        attempt: lease.attempt,
        progress: lease.progressPercent,
        leaseUntil: toIsoTime(lease.leaseUntil),
        deadlineAt: toIsoTime(lease.deadlineAt),
      })),
      leaseCount: Number(leaseCount),
    };
  }),

  stuck: procedure.query(async ({ ctx }) => {
    const { now, jobs } = await ctx.jobs.listStuckJobs({});
    return {
      now: toIsoTime(now),
      jobs: jobs.map(({ jobId, part, accountId, reason, since, attempts }) => ({
        jobId,
        part: part ?? null,
        accountId,
        reason: REASONS[reason],
        since: toIsoTime(since),
        attempts,
      })),
    };
  }),
});
