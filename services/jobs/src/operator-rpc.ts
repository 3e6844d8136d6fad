/** JobsOperatorService: the queue and accounts' jobs, for operators. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { type JobsOperatorService, StuckReason as ProtoReason } from '@audiosplit/proto/jobs/v1/operators';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { JobNotFoundError } from './errors.ts';
import { toProtoJob } from './proto-mapping.ts';
import { cancelJob, type RemovalDependencies } from './retention/delete-job.ts';
import { findAccountOfJob, findJob } from './store/job/jobs.ts';
import { readDatabaseClock } from './store/lease/leases.ts';
import { readBacklog } from './store/queue/backlog.ts';
import { listJobs } from './store/read/list-jobs.ts';
import {
  findStuckJobs,
  listBusyAccounts,
  listLeases,
  listWorkers,
  type StuckReason,
} from './store/read/operators.ts';

const MAX_ACCOUNTS = 20;
const JOBS_PER_PAGE = 20;
/** Bounds the offset. */
const MAX_PAGE = 1_000_000;
const MAX_WORKERS = 200;
const MAX_LEASES = 500;
const MAX_STUCK_JOBS = 100;
/** Several runs of the reaper. */
const LEASE_OVER_MS = 15_000;
/** An idle splitter claims an offer within two seconds. */
const NOT_TAKEN_MS = 60_000;

const PROTO_REASON: Record<StuckReason, ProtoReason> = {
  leaseOver: ProtoReason.LEASE_OVER,
  notTaken: ProtoReason.NOT_TAKEN,
  timeOver: ProtoReason.TIME_OVER,
};

export function createOperatorRpc(
  dependencies: RemovalDependencies,
): ServiceImpl<typeof JobsOperatorService> {
  const { pool } = dependencies;
  const now = async () => timestampFromDate(await readDatabaseClock(pool));
  return {
    async getQueue() {
      const { queued, processing, runnable } = await readBacklog(pool);
      const accounts = await listBusyAccounts(pool, MAX_ACCOUNTS);
      return {
        now: await now(),
        queued: BigInt(queued),
        processing: BigInt(processing),
        runnable: BigInt(runnable),
        accounts: accounts.map(({ oldestQueuedAt, concurrentJobs, ...account }) => ({
          accountId: account.accountId,
          queued: BigInt(account.queued),
          offered: BigInt(account.offered),
          processing: BigInt(account.processing),
          ...(concurrentJobs === null ? {} : { concurrentJobs }),
          ...(oldestQueuedAt === null ? {} : { oldestQueuedAt: timestampFromDate(oldestQueuedAt) }),
        })),
      };
    },

    async listWorkers() {
      const workers = await listWorkers(pool, MAX_WORKERS);
      const { leases, total } = await listLeases(pool, MAX_LEASES);
      return {
        now: await now(),
        workers: workers.map(({ earliestLeaseUntil, ...worker }) => ({
          ...worker,
          earliestLeaseUntil: timestampFromDate(earliestLeaseUntil),
        })),
        leases: leases.map(({ part, fence, leaseUntil, deadlineAt, ...lease }) => ({
          ...lease,
          ...(part === null ? {} : { part }),
          fence: BigInt(fence),
          leaseUntil: timestampFromDate(leaseUntil),
          deadlineAt: timestampFromDate(deadlineAt),
        })),
        leaseCount: BigInt(total),
      };
    },

    async listStuckJobs() {
      const patience = { leaseOverMs: LEASE_OVER_MS, notTakenMs: NOT_TAKEN_MS };
      const jobs = await findStuckJobs(pool, patience, MAX_STUCK_JOBS);
      return {
        now: await now(),
        jobs: jobs.map(({ part, reason, since, ...job }) => ({
          ...job,
          ...(part === null ? {} : { part }),
          reason: PROTO_REASON[reason],
          since: timestampFromDate(since),
        })),
      };
    },

    async listAccountJobs({ accountId, page }) {
      if (page < 1 || page > MAX_PAGE) throw new InvalidParamsError('page', `give 1 to ${MAX_PAGE}.`);
      const { jobs, total } = await listJobs(pool, {
        accountId,
        status: undefined,
        sortBy: 'createdAt',
        ascending: false,
        limit: JOBS_PER_PAGE,
        offset: (page - 1) * JOBS_PER_PAGE,
      });
      return { jobs: jobs.map((job) => toProtoJob(job)), total: BigInt(total) };
    },

    async findJob({ jobId }) {
      const accountId = await findAccountOfJob(pool, jobId);
      const job = accountId === undefined ? undefined : await findJob(pool, accountId, jobId);
      if (accountId === undefined || job === undefined) throw new JobNotFoundError(jobId);
      return { accountId, job: toProtoJob(job) };
    },

    async cancelAccountJob({ accountId, jobId }) {
      await cancelJob(dependencies, accountId, jobId);
      return {};
    },
  };
}
