/**
 * A worker whose environment the test plays: the jobs service behind its proto contract, the bus, the source,
 * the engine. The object store is the real one on files.
 */

import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import { ServiceError } from '@audiosplit/chassis/errors';
import type { EventBus, SubscribeOptions } from '@audiosplit/chassis/event-bus/event-bus';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { type Logger, silentLogger } from '@audiosplit/chassis/process/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import type { FinishedSegment, SplitOptions, SplitResult } from '@audiosplit/engine/media';
import type { DivisionOptions } from '@audiosplit/engine/parts/plan-parts';
import { UNCONFINED } from '@audiosplit/engine/sandbox/sandbox';
import { type CutFields, fromCutFields } from '@audiosplit/proto/cut';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import {
  type ClaimJobRequest,
  type CompleteJobRequest,
  type CompletePartRequest,
  type DivideJobRequest,
  type FailJobRequest,
  JobLeaseService,
  type ReleaseJobRequest,
  type RenewLeaseRequest,
} from '@audiosplit/proto/jobs/v1/jobs';
import { create, toBinary } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import type { JobRunner } from './run-job.ts';
import { createScratchBudget, type ScratchBudget } from './scratch-budget.ts';
import { startWorker } from './worker.ts';

export type Engine = (options: SplitOptions) => Promise<SplitResult>;

interface WorkerFixtureOptions {
  readonly engine: Engine;
  readonly leaseMs?: number;
  readonly wallClockLeftMs?: number;
  readonly concurrency?: number;
  /** Default 64. */
  readonly fetches?: number;
  readonly drainGraceMs?: number;
  readonly lookForOffersEveryMs?: number;
  readonly division?: DivisionOptions;
  /** The claim's description of the job. */
  readonly staysWhole?: boolean;
  /** Absent: the source is a link. */
  readonly uploadKey?: string;
  /** Default: segments of ten seconds. */
  readonly cut?: CutFields;
  readonly trace?: Readonly<Record<string, string>>;
  readonly jobs?: Partial<ServiceImpl<typeof JobLeaseService>>;
  /** Five bytes by default. */
  readonly body?: () => AsyncIterable<Uint8Array>;
  readonly scratchBudget?: ScratchBudget;
  readonly openSource?: JobRunner['openSource'];
  /** Breaks the store; stored objects are read from the real one. */
  readonly store?: (real: ObjectStore) => ObjectStore;
  readonly log?: Logger;
  /** A real bus, instead of the one that delivers by hand. */
  readonly eventBus?: EventBus;
}

export const RATE_HZ = 1_000;

export async function startWorkerFixture(options: WorkerFixtureOptions) {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-worker-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const store = stack.use(await openFileObjectStore({ directory: join(folder, 'objects') }));
  const said = {
    claimed: [] as string[],
    renewed: [] as RenewLeaseRequest[],
    reserved: [] as bigint[],
    completed: [] as CompleteJobRequest[],
    failed: [] as FailJobRequest[],
    released: [] as ReleaseJobRequest[],
    divided: [] as DivideJobRequest[],
    completedParts: [] as CompletePartRequest[],
  };
  let claimedParts = 0;
  const common = { keys: testKeysOf('jobs'), log: silentLogger(), clock: systemClock };
  const address = serveInProcess({
    ...common,
    routes: (router) =>
      router.service(JobLeaseService, {
        claimJob({ jobId }) {
          said.claimed.push(jobId);
          return {
            request: {
              sourceUrl: 'https://example.com/talk.final.mp3',
              ...(options.uploadKey === undefined ? {} : { uploadKey: options.uploadKey }),
              cut: fromCutFields(options.cut ?? { splitMode: 'duration', segmentDuration: 10 }),
            },
            accountId: 'acc_1',
            fence: 3n,
            attempt: 1,
            leaseMs: options.leaseMs ?? 30_000,
            wallClockLeftMs: BigInt(options.wallClockLeftMs ?? 60_000),
            maxSourceBytes: 1_000n,
            staysWhole: options.staysWhole ?? false,
            trace: options.trace ?? {},
            maxSourceDurationMs: 5_000n,
            reservesMinutes: true,
            maxOutputBytes: 7_000n,
          };
        },
        renewLease(request) {
          said.renewed.push(request);
          return { leaseMs: options.leaseMs ?? 30_000 };
        },
        reserveMinutes({ neededMs }) {
          said.reserved.push(neededMs);
          return { granted: true };
        },
        checkLeases: () => ({ over: [] }),
        findOverdueOffers: () => ({ offers: [] }),
        findFirstOffers: () => ({ offers: [] }),
        completeJob(request) {
          said.completed.push(request);
          return {};
        },
        failJob(request) {
          said.failed.push(request);
          return {};
        },
        releaseJob(request) {
          said.released.push(request);
          return {};
        },
        divideJob(request) {
          said.divided.push(request);
          return {};
        },
        // Like the jobs service: for the job that was divided last, each part once, and again if it is named.
        claimPart({ part }) {
          const parts = said.divided.at(-1)?.parts ?? [];
          const index = part ?? claimedParts;
          const spec = parts[index];
          if (spec === undefined) throw new ServiceError(Reason.NOT_CLAIMABLE, 'No part waits.');
          claimedParts += 1;
          return {
            part: index,
            fence: 1n,
            jobFence: 3n,
            attempt: 1,
            leaseMs: options.leaseMs ?? 30_000,
            wallClockLeftMs: BigInt(options.wallClockLeftMs ?? 60_000),
            specJson: spec.specJson,
            sourceFileName: 'talk.final.mp3',
            segmentCount: parts.reduce((sum, { segmentCount }) => sum + segmentCount, 0),
          };
        },
        completePart(request) {
          said.completedParts.push(request);
          return {};
        },
        ...options.jobs,
      }),
  });
  const bus = createHandDeliveredBus();
  const caller = createCaller({ keys: testKeysOf('splitter'), clock: systemClock });
  const scratchDir = join(folder, 'scratch');
  const worker = stack.use(
    await startWorker({
      bus: options.eventBus ?? bus,
      workerId: 'worker-1',
      concurrency: options.concurrency ?? 2,
      fetches: options.fetches ?? 64,
      drainGraceMs: options.drainGraceMs ?? 0,
      lookForOffersEveryMs: options.lookForOffersEveryMs ?? 60_000,
      onCrash: (error) => {
        throw error;
      },
      runner: {
        leases: caller.client(JobLeaseService, address),
        store: options.store?.(store) ?? store,
        openSource:
          options.openSource ??
          (async () => ({
            fileName: 'talk.final.mp3',
            declaredSizeBytes: 5,
            body: (options.body ?? audioBytes)(),
            bytesRead: () => 5,
            async [Symbol.asyncDispose]() {},
          })),
        isStored: () => false,
        split: options.engine,
        division: options.division,
        scratchDir,
        scratchBudget: options.scratchBudget ?? createScratchBudget({ limitBytes: 2 ** 30 }),
        scratchShareBytes: 2 ** 29,
        maxDrawingMs: 5_000,
        ffmpegPath: '/nowhere/ffmpeg',
        sandbox: UNCONFINED,
        log: options.log ?? common.log,
      },
    }),
  );
  return {
    said,
    store,
    bus,
    worker,
    scratchLeft: () => readdir(scratchDir).catch(() => []),
    offer: (jobId: string, part?: number) => bus.deliver(jobId, part),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function* audioBytes() {
  yield Buffer.from('audio');
}

/** Claims a job of the account that its id names: job_<account>_<number>. */
export function claimByAccount({ jobId }: Pick<ClaimJobRequest, 'jobId'>) {
  return {
    request: {
      sourceUrl: 'https://example.com/a.mp3',
      cut: fromCutFields({ splitMode: 'duration', segmentDuration: 10 }),
    },
    accountId: jobId.split('_')[1] ?? '',
    fence: 3n,
    attempt: 1,
    leaseMs: 30_000,
    wallClockLeftMs: 60_000n,
    maxSourceBytes: 100_000_000n,
  };
}

/** An engine that produces one segment per length in samples, with as many bytes. */
export function engineThatCuts(...lengths: readonly number[]): Engine {
  return async ({ scratchDir, onSegment, onProgress }) => {
    let startSample = 0;
    for (const [index, sampleCount] of lengths.entries()) {
      await onSegment(await segmentFile(scratchDir, index, startSample, sampleCount));
      startSample += sampleCount;
      onProgress((index + 1) / lengths.length);
    }
    return resultOf(lengths.length, startSample);
  };
}

export async function segmentFile(
  scratchDir: string,
  index: number,
  startSample: number,
  sampleCount: number,
): Promise<FinishedSegment> {
  const path = join(scratchDir, `${index}.mp3`);
  await writeFile(path, Buffer.alloc(sampleCount));
  return {
    index,
    path,
    extension: 'mp3',
    contentType: 'audio/mpeg',
    startSample,
    sampleCount,
    sampleRateHz: RATE_HZ,
    sizeBytes: sampleCount,
  };
}

export function resultOf(segmentCount: number, sourceSampleCount: number): SplitResult {
  return {
    outputFormat: 'mp3',
    segmentCount,
    sourceSampleCount,
    sourceSampleRateHz: RATE_HZ,
    sourceSizeBytes: 5,
  };
}

/** An engine that works until its signal aborts. */
export function engineThatNeverEnds(onStop?: () => void): Engine {
  return async ({ signal }) => {
    if (!signal.aborted) await once(signal, 'abort');
    onStop?.();
    throw signal.reason;
  };
}

export function createHandDeliveredBus(): EventBus & {
  paused: boolean;
  deliver(jobId: string, part?: number): Promise<void>;
} {
  let subscriber: SubscribeOptions | undefined;
  const stopped = new AbortController();
  const inHand = new Set<Promise<void>>();
  const bus = {
    paused: false,
    publish: () => Promise.reject(new Error('a worker publishes nothing')),
    async subscribe(options: SubscribeOptions) {
      subscriber = options;
      return {
        pause() {
          bus.paused = true;
        },
        resume() {
          bus.paused = false;
        },
        async [Symbol.asyncDispose]() {
          stopped.abort(new Error('unsubscribed'));
          await Promise.allSettled(inHand);
        },
      };
    },
    async deliver(jobId: string, part?: number) {
      const value = toBinary(
        EventSchema,
        create(EventSchema, {
          id: 'evt_1',
          payload: { case: 'splitRequested', value: { jobId, ...(part === undefined ? {} : { part }) } },
        }),
      );
      const message = { topic: 't', key: jobId, value, headers: {}, delivery: 1 };
      const handled = subscriber?.handler(message, stopped.signal) ?? Promise.resolve();
      inHand.add(handled);
      await handled.finally(() => inHand.delete(handled));
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
  return bus;
}
