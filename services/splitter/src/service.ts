import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { createKeyedSemaphore } from '@audiosplit/chassis/keyed-semaphore';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import type { SplitOptions, SplitResult } from '@audiosplit/engine/media';
import type { Sandbox } from '@audiosplit/engine/sandbox/sandbox';
import { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { createBuckets } from './bucket/open-bucket.ts';
import type { SplitterConfig } from './config.ts';
import { checkFfmpeg, openSandbox, resolveFfmpegPath } from './engine-setup.ts';
import { startEngineThreads } from './engine-thread/engine-threads.ts';
import { hideProcess } from './hide-process.ts';
import { count } from './metrics.ts';
import { createSplitterRpc } from './rpc.ts';
import { openBucketSource } from './source/bucket-source.ts';
import { type FetchOptions, openSource } from './source/fetch-source.ts';
import { createUploadedSources } from './source/uploaded-source.ts';
import { createWaveforms } from './waveform/waveforms.ts';
import { createScratchBudget } from './work/scratch-budget.ts';
import { defaultScratchLimit } from './work/scratch-space.ts';
import { createAccountPlaces } from './work/shares/account-places.ts';
import { maxAheadBytes } from './work/shares/shares.ts';
import { exposeSplitter } from './work/splitter-metrics.ts';
import { traceStages } from './work/traced-stages.ts';
import { startWorker, type WorkerOptions } from './work/worker.ts';

/** Converts audio. */
export interface Engine extends AsyncDisposable {
  readonly split: (options: SplitOptions) => Promise<SplitResult>;
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
}

type Intervals = Pick<
  WorkerOptions,
  'checkLeasesEveryMs' | 'lookForOffersEveryMs' | 'lookForFirstOffersEveryMs'
>;

interface SplitterOverrides extends Intervals {
  /** Replaces ffmpeg and the threads that run it. */
  readonly engine?: Engine;
  /** Replaces the egress of `config.egress`. */
  readonly egress?: GuardedEgress;
}

export async function startSplitter(
  config: SplitterConfig,
  context: ServiceContext,
  overrides: SplitterOverrides = {},
): Promise<RunningService> {
  const { log, clock, bus, keys } = context;
  await using starting = new AsyncDisposableStack();
  const engine = starting.use(overrides.engine ?? (await startEngine(config, log)));
  // Leftovers of a killed process; every process has a scratch folder of its own.
  await rm(config.scratchDir, { recursive: true, force: true });

  const scratchLimitBytes = config.scratchLimitBytes ?? (await defaultScratchLimit(config.scratchDir));
  // Reserved for all jobs from the start: a job that had to wait for it would hold slots that others wait
  // for.
  const aheadBytes = maxAheadBytes(config.concurrency, config.fetches);
  const scratchBudget = createScratchBudget({
    limitBytes: Math.max(scratchLimitBytes - aheadBytes, Math.floor(scratchLimitBytes / 2)),
  });

  const store = await context.openStore();
  const egress = starting.use(
    overrides.egress ?? createGuardedEgress(config.egress, { dnsServers: config.dnsServers }),
  );
  const uploads = createUploadedSources({
    store,
    publicBaseUrl: config.publicBaseUrl,
  });
  const limits = config.sourceLimits;
  const connections = createKeyedSemaphore(limits.maxConnectionsPerHost);
  // In addition to the connections of sources: a job may read from a store while it waits to write there.
  const storeConnections = createKeyedSemaphore(limits.maxConnectionsPerHost);
  const openBucket = createBuckets(
    egress,
    (accountId) => (host, signal) => storeConnections.acquire(`${accountId} ${host}`, signal),
  );
  const transfers = createAccountPlaces({
    limit: config.bucketTransfers,
    onSetAside: () => count('audiosplit_splitter_bucket_transfers_set_aside_total', {}),
  });
  const caller = createCaller({ keys, clock });
  const worker = starting.use(
    await startWorker({
      bus,
      workerId: `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`,
      concurrency: config.concurrency,
      fetches: config.fetches,
      drainGraceMs: config.drainGraceMs,
      checkLeasesEveryMs: overrides.checkLeasesEveryMs,
      lookForOffersEveryMs: overrides.lookForOffersEveryMs,
      lookForFirstOffersEveryMs: overrides.lookForFirstOffersEveryMs,
      onCrash: context.fatal,
      runner: traceStages({
        leases: caller.client(JobLeaseService, context.addressOf('jobs')),
        store,
        async openSource(url, { accountId, uploadKey, sourceObject, ...options }) {
          const key = uploadKey ?? uploads.keyOf(url);
          if (key !== undefined) return uploads.open({ key, url, accountId }, options);
          const fetching: FetchOptions = {
            ...options,
            limits,
            accountId,
            enterHost: (host, signal) => connections.acquire(`${accountId} ${host}`, signal),
          };
          if (sourceObject?.bucket === undefined) return openSource(egress, url, fetching);
          using bucket = openBucket(sourceObject.bucket, accountId, options.signal);
          return await openBucketSource(egress, bucket, sourceObject.key, fetching);
        },
        isStored: ({ sourceUrl, uploadKey }) => (uploadKey ?? uploads.keyOf(sourceUrl)) !== undefined,
        destinations: { openBucket, transfers },
        split: engine.split,
        division: config.division,
        scratchDir: config.scratchDir,
        scratchBudget,
        scratchShareBytes: scratchBudget.limitBytes / 2 / config.concurrency,
        maxDrawingMs: config.maxDrawingMs,
        ffmpegPath: engine.ffmpegPath,
        sandbox: engine.sandbox,
        log,
      }),
    }),
  );

  const { cores } = worker.shares;
  const waveforms = starting.use(createWaveforms({ ...config, ...engine, cores, store, log }));

  const { concurrency: slots, fetches, scratchDir } = config;
  const { sandbox } = engine;
  starting.use(
    exposeSplitter({ shares: worker.shares, slots, fetches, transfers, scratchDir, scratchBudget, sandbox }),
  );

  const health = createHealth(
    [SplitterService],
    { bus: () => bus.check(), store: () => store.check() },
    { 'decoder-sandbox': () => sandbox.level === 'full' },
  );
  const running = starting.move();
  return {
    health,
    routes: (router) =>
      router.service(SplitterService, createSplitterRpc({ egress, uploads, waveforms, openBucket })),
    beginDrain() {
      log.info({ running: worker.running().length }, 'draining');
      worker.beginDrain();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startEngine(
  { ffmpegPath: givenPath, sandboxMode }: SplitterConfig,
  log: Logger,
): Promise<Engine> {
  const ffmpegPath = await resolveFfmpegPath(givenPath);
  const { version } = await checkFfmpeg(ffmpegPath);
  const sandbox = await openSandbox(sandboxMode, ffmpegPath);
  const { level, shortfall } = sandbox;
  const fields = { ffmpeg: version, path: ffmpegPath, sandbox: level };
  if (level === 'full') log.info(fields, 'ffmpeg is fit');
  else log.warn({ ...fields, shortfall }, 'ffmpeg is fit, but its sandbox is incomplete');
  await hideProcess().catch((error: unknown) => {
    log.warn({ err: error }, 'other processes of this user may read the memory of this one');
  });
  // Downloads and stored objects arrive in new memory, which nothing else reads.
  const threads = await startEngineThreads({ log, takesOverChunks: true });
  return { ...threads, ffmpegPath, sandbox };
}
