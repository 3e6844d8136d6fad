/** A replica of the jobs service: its own parts, put together as service.ts does, on simulated ports. */
import { withIdempotency } from '@audiosplit/chassis/idempotency/with-idempotency';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { createLeaseRpc } from '@audiosplit/jobs/lease/lease-rpc';
import { reap } from '@audiosplit/jobs/lease/reaper';
import {
  deleteScheduledObjects,
  expireOldSegments,
  sweepOldUploads,
} from '@audiosplit/jobs/retention/sweep-objects';
import { createJobsRpc } from '@audiosplit/jobs/rpc';
import { JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { fetchLimitsFrom } from '@audiosplit/jobs/submit/fetch-limits';
import { createKnownLimits } from '@audiosplit/jobs/submit/limits';
import { subscribeToAccounts } from '@audiosplit/jobs/subscriptions';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { JobLeaseService, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { breakDatabase, breakLeases } from './flaws.ts';
import type { Installation } from './installation.ts';
import { isFinal } from './invariants.ts';
import { repeat } from './repeating-work.ts';
import { createSimulatedPool } from './simulated-pool.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const DAY_MS = 86_400_000;
export const LEASE_MS = 10_000;
const WALL_CLOCK_LIMIT_MS = 7_200_000;
const SEGMENT_RETENTION_MS = 7 * DAY_MS;
/** Looked at seldom, as woken ones are quick: what is left is what nobody was woken for. */
const RELAY_POLL_MS = 240_000;
const REAP_EVERY_MS = 40_000;
const SWEEP_EVERY_MS = 60_000;
const EXPIRE_EVERY_MS = 120_000;
const SWEEP_UPLOADS_EVERY_MS = 120_000;

export async function startJobsProcess(installation: Installation, process: SimulatedProcess): Promise<void> {
  const { log, clock, internalSecret, network, store, tables, world } = installation;
  const pool = breakDatabase(createSimulatedPool(installation, JOBS_SCHEMA), installation.flaw);
  const bus = installation.bus.connect(process);
  const relay = startOutboxRelay({ pool, bus, log, pollMs: RELAY_POLL_MS });
  const wakeRelay = () => relay.wake();
  const caller = createCaller({ service: 'jobs', internalSecret, clock });
  const billing = caller.client(BillingService, network.addressOf('billing'));
  const dependencies = {
    pool,
    log,
    wakeRelay,
    limits: createKnownLimits({ pool, log, fetchLimits: fetchLimitsFrom(billing) }),
    openStore: async () => store,
    leaseMs: LEASE_MS,
    wallClockLimitMs: WALL_CLOCK_LIMIT_MS,
    fetchQuotaLeftMs: async (accountId: string) =>
      Number((await billing.getQuota({ accountId })).remainingMs),
    inspectSource: async () => undefined,
  };
  repeat(installation, {
    name: 'reap',
    everyMs: REAP_EVERY_MS,
    run: () => reap(pool, wakeRelay),
    isDue: () => !tables.jobs.values().every(isFinal),
  });
  repeat(installation, {
    name: 'sweep',
    everyMs: SWEEP_EVERY_MS,
    run: () => deleteScheduledObjects(dependencies),
    isDue: () => tables.doomedPrefixes.values().some(({ deleteAfterMs }) => deleteAfterMs <= world.nowMs()),
  });
  repeat(installation, {
    name: 'expire',
    everyMs: EXPIRE_EVERY_MS,
    run: () => expireOldSegments(pool, SEGMENT_RETENTION_MS, wakeRelay),
    isDue: () =>
      tables.jobs
        .values()
        .some(
          ({ completedAtMs, areSegmentsExpired }) =>
            completedAtMs !== null &&
            !areSegmentsExpired &&
            completedAtMs + SEGMENT_RETENTION_MS <= world.nowMs(),
        ),
  });
  repeat(installation, {
    name: 'sweep uploads',
    everyMs: SWEEP_UPLOADS_EVERY_MS,
    run: () => sweepOldUploads(dependencies, clock()),
    isDue: () => store.objects.keys().some((key) => key.startsWith('uploads/')),
  });
  await subscribeToAccounts({ bus, pool, clock, wakeRelay, onCrash: crash });
  network.serve('jobs', process, (router) => {
    const jobs = createJobsRpc({ ...dependencies, clock, segmentRetentionMs: SEGMENT_RETENTION_MS });
    router.service(JobsService, withIdempotency(JobsService, jobs, { pool, clock, internalSecret }));
    router.service(JobLeaseService, breakLeases(createLeaseRpc(dependencies), pool, installation.flaw));
  });
}

export function crash(error: Error): never {
  throw error;
}
