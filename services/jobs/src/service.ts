import { withIdempotency } from '@audiosplit/chassis/idempotency/with-idempotency';
import { responseSecretOf } from '@audiosplit/chassis/identity/keys';
import { exposeOutbox, exposePool } from '@audiosplit/chassis/observability/database-metrics';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { checkPostgres } from '@audiosplit/chassis/postgres/check-postgres';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { BucketObject } from '@audiosplit/proto/jobs/v1/bucket';
import { ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { JobLeaseService, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { JobsOperatorService } from '@audiosplit/proto/jobs/v1/operators';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import type { JobsConfig } from './config.ts';
import { createConnectionBox } from './connections/connection-box.ts';
import { createConnectionsRpc } from './connections/connections-rpc.ts';
import { emptyFolders } from './connections/empty-folders.ts';
import { resealConnections } from './connections/reseal-connections.ts';
import type { SplitRequest } from './job.ts';
import { newFenceStep } from './lease/fence-step.ts';
import { createLeaseRpc } from './lease/lease-rpc.ts';
import { reap } from './lease/reaper.ts';
import { expose } from './metrics.ts';
import { createOperatorRpc } from './operator-rpc.ts';
import { exposeBacklog } from './queue/backlog.ts';
import { countJobsOfOldAccounts } from './queue/count-jobs.ts';
import { prune } from './retention/close-account.ts';
import { deleteScheduledObjects, expireOldSegments, sweepOldUploads } from './retention/sweep-objects.ts';
import { createJobsRpc } from './rpc.ts';
import { JOBS_SCHEMA } from './schema.ts';
import { createSourceHeaderBox } from './source-headers.ts';
import { readMostConnections } from './store/connections.ts';
import { fetchLimitsFrom, fetchQuotaFrom } from './submit/fetch-limits.ts';
import { createKnownLimits } from './submit/limits.ts';
import { subscribeToAccounts } from './subscriptions.ts';
import { exposeUploads } from './uploads/upload-metrics.ts';
import { createWaveforms } from './waveform/read-waveform.ts';

const MINUTE_MS = 60_000;
/** Longer than the inspection's own timeout, so that its result arrives first. */
const INSPECTION_TIMEOUT_MS = 4_000;

export interface JobsOverrides {
  /** Default: one second. */
  readonly relayPollMs?: number;
}

export async function startJobs(
  config: JobsConfig,
  context: ServiceContext,
  overrides: JobsOverrides = {},
): Promise<RunningService> {
  const { log, clock, bus, openStore, keys } = context;
  await using starting = new AsyncDisposableStack();
  const pool = context.openPool(JOBS_SCHEMA, config.maxDatabaseConnections);
  starting.defer(() => pool.end());
  starting.use(exposePool(pool, JOBS_SCHEMA));
  starting.use(exposeOutbox(pool, JOBS_SCHEMA));
  starting.use(exposeBacklog(pool));
  starting.use(exposeUploads(pool));
  starting.use(
    expose('audiosplit_connections', async () => [{ labels: {}, value: await readMostConnections(pool) }]),
  );
  const relay = starting.use(startOutboxRelay({ pool, bus, log, pollMs: overrides.relayPollMs }));
  const wakeRelay = () => relay.wake();

  const caller = createCaller({ keys, clock });
  const billing = caller.client(BillingService, context.addressOf('billing'));
  const splitter = caller.client(SplitterService, context.addressOf('splitter'));

  const connectionBox = createConnectionBox(keys.privateKey);
  const limits = createKnownLimits({ pool, log, fetchLimits: fetchLimitsFrom(billing) });

  const dependencies = {
    pool,
    limits,
    openStore,
    wakeRelay,
    log,
    // Processes of the former release cannot complete a job whose token was raised by more than one.
    newFenceStep: keys.formerSecret === undefined ? newFenceStep : () => 1,
    leaseMs: config.leaseMs,
    wallClockLimitMs: config.wallClockLimitMs,
    fetchQuota: fetchQuotaFrom(billing),
    sourceHeaderBox: createSourceHeaderBox(keys.privateKey),
    connectionBox,
    async inspectSource(
      accountId: string,
      { sourceUrl, uploadKey }: SplitRequest,
      sourceHeaders: SourceHeaders,
      sourceObject: BucketObject | undefined,
    ) {
      try {
        const { sizeBytes } = await splitter.inspectSource(
          {
            accountId,
            sourceUrl,
            sourceHeaders,
            ...(uploadKey === undefined ? {} : { uploadKey }),
            ...(sourceObject === undefined ? {} : { sourceObject }),
          },
          { timeoutMs: INSPECTION_TIMEOUT_MS },
        );
        return sizeBytes === undefined ? undefined : Number(sizeBytes);
      } catch (error) {
        if (hasReason(error, Reason.INVALID_PARAMS)) throw error;
        log.warn({ err: error }, 'a source could not be inspected; its size is checked when it is fetched');
        return undefined;
      }
    },
  };

  const { segmentRetentionMs, maxDrawingMs, maxConnections } = config;
  const waveforms = starting.use(
    createWaveforms({ pool, openStore, splitter, clock, log, segmentRetentionMs, maxDrawingMs }),
  );

  starting.use(
    await context.schedule({
      onCrash: context.fatal,
      pool,
      schema: JOBS_SCHEMA,
      log,
      repeating: [
        {
          name: 'reap',
          everyMs: config.reapEveryMs,
          async run() {
            const report = await reap(pool, wakeRelay);
            if (report.offeredAgain + report.failed > 0) log.info(report, 'stalled jobs were handled');
          },
        },
        {
          name: 'sweep-objects',
          everyMs: MINUTE_MS,
          run: (stopping) => deleteScheduledObjects(dependencies, stopping),
        },
        {
          name: 'expire-segments',
          everyMs: 5 * MINUTE_MS,
          run: (stopping) => expireOldSegments(pool, segmentRetentionMs, wakeRelay, stopping),
        },
        {
          name: 'sweep-uploads',
          everyMs: 60 * MINUTE_MS,
          run: (stopping) => sweepOldUploads(dependencies, clock(), stopping),
        },
        { name: 'prune', everyMs: 60 * MINUTE_MS, run: () => prune(pool, clock()) },
        {
          name: 'empty-folders',
          everyMs: MINUTE_MS,
          run: (stopping) => emptyFolders({ pool, log, splitter, connectionBox }, stopping),
        },
        {
          name: 'reseal-connections',
          everyMs: 60 * MINUTE_MS,
          run: (stopping) => resealConnections({ pool, log, connectionBox }, stopping),
        },
        {
          name: 'count-jobs',
          everyMs: 60 * MINUTE_MS,
          run: (stopping) => countJobsOfOldAccounts(pool, stopping),
        },
      ],
    }),
  );
  starting.use(await subscribeToAccounts({ bus, pool, clock, wakeRelay, onCrash: context.fatal }));

  const health = createHealth([JobsService, ConnectionsService, JobLeaseService, JobsOperatorService], {
    postgres: () => checkPostgres(pool),
  });
  const running = starting.move();
  return {
    health,
    routes(router) {
      const jobs = createJobsRpc({
        ...dependencies,
        clock,
        segmentRetentionMs,
        waveforms,
        uploadBounds: config.uploads,
      });
      const idempotency = { pool, clock, secret: responseSecretOf(keys) };
      router.service(JobsService, withIdempotency(JobsService, jobs, idempotency));
      const connections = createConnectionsRpc({ pool, clock, log, splitter, connectionBox, maxConnections });
      router.service(ConnectionsService, withIdempotency(ConnectionsService, connections, idempotency));
      router.service(JobLeaseService, createLeaseRpc(dependencies));
      router.service(JobsOperatorService, createOperatorRpc(dependencies));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
