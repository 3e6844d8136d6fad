/** JobsOperatorService: the queue, for operators. */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { type JobsOperatorService, StuckReason as ProtoReason } from '@audiosplit/proto/jobs/v1/operators';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { readBacklog } from './store/backlog.ts';
import { readDatabaseClock } from './store/leases.ts';
import {
  findStuckJobs,
  listBusyAccounts,
  listLeases,
  listWorkers,
  type StuckReason,
} from './store/operators.ts';

const MAX_ACCOUNTS = 20;
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

export function createOperatorRpc({
  pool,
}: {
  readonly pool: Pool;
}): ServiceImpl<typeof JobsOperatorService> {
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
  };
}
