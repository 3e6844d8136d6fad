/**
 * One attempt at one claimed job: fetch, split, store, report. A long conversion may instead be prepared for
 * several splitters and reported as divided: then its parts are claimed one by one (`run-part.ts`).
 */

import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { SplitOptions, SplitResult } from '@audiosplit/engine/media';
import { segmentFileNames } from '@audiosplit/engine/names/segment-name';
import type { DivisionOptions } from '@audiosplit/engine/parts/plan-parts';
import type { Sandbox } from '@audiosplit/engine/sandbox/sandbox';
import type { CutRequest } from '@audiosplit/proto/cut';
import { outputFormats } from '@audiosplit/proto/enum-words';
import type { BucketObject } from '@audiosplit/proto/jobs/v1/bucket';
import type {
  ClaimJobResponse,
  CompleteJobRequestSchema,
  JobLeaseService,
  SplitRequest,
} from '@audiosplit/proto/jobs/v1/jobs';
import { readCut } from '@audiosplit/proto/previous-cut';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { fromProtoCut } from '../proto-cut.ts';
import type { OpenSource, SourceOptions } from '../source/fetch-source.ts';
import type { EnterFetches } from '../source/fetch-turn.ts';
import { fromProtoUse, type SourceUse } from '../source/source-use.ts';
import { MAX_PIXELS, storeWaveform } from '../waveform/stored-waveform.ts';
import { type Completion, runAttempt } from './attempt.ts';
import type { ProgressReport } from './lease/lease-keeper.ts';
import type { LeaseWatch } from './lease/lease-watch.ts';
import { counted, rangesOf, reportingFetch } from './reporting-fetch.ts';
import { minutesOf } from './reserve-minutes.ts';
import { openScratch } from './scratch.ts';
import type { Reservation, ScratchBudget } from './scratch-budget.ts';
import { createAheadBuffer } from './shares/ahead-buffer.ts';
import { createFedSource } from './shares/fed-source.ts';
import type { JobShares } from './shares/shares.ts';
import { createSourceRoom, type SourceRoom } from './source-room.ts';
import { type Destinations, deliverJob } from './storing/deliver-job.ts';
import { createPieceArchive, pieceArchiveKey } from './storing/piece-archive.ts';
import {
  joinBorders,
  type StoredSegment,
  toMs,
  toProtoSegments,
  withEnds,
} from './storing/segment-upload.ts';
import { stageInScratch, stageInStore } from './storing/staging.ts';
import { withoutValues } from './without-values.ts';

export interface JobRunner {
  readonly leases: Client<typeof JobLeaseService>;
  readonly leaseWatch?: LeaseWatch;
  readonly store: ObjectStore;
  readonly openSource: (url: string, options: JobSourceOptions) => Promise<OpenSource>;
  /** Whether the source lies in the store, so that only the store has to be waited for. */
  readonly isStored: (request: Pick<SplitRequest, 'sourceUrl' | 'uploadKey'>) => boolean;
  readonly split: (options: SplitOptions) => Promise<SplitResult>;
  /** Absent: every job is done whole. */
  readonly division?: DivisionOptions | undefined;
  /** Absent: no job has a bucket as its destination. */
  readonly destinations?: Destinations;
  readonly scratchDir: string;
  readonly scratchBudget: ScratchBudget;
  /** The part of it that a job may use without blocking others. */
  readonly scratchShareBytes: number;
  /** Of the waveform of a dry run. */
  readonly maxDrawingMs: number;
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  readonly log: Logger;
}

interface JobSourceOptions extends SourceOptions {
  readonly accountId: string;
  /** As in SplitRequest. */
  readonly uploadKey: string | undefined;
  /** As in ClaimJobResponse. */
  readonly sourceHeaders: SourceHeaders;
  /** As in ClaimJobResponse. */
  readonly sourceObject: BucketObject | undefined;
  readonly enterFetches: EnterFetches;
}

interface ClaimedJob {
  readonly jobId: string;
  readonly claim: ClaimJobResponse;
  readonly shares: JobShares;
  /** Aborts with DrainingError. */
  readonly drain: AbortSignal;
}

/** Never rejects; resolves with whether the job has been divided. */
export async function runJob(
  runner: JobRunner,
  { jobId, claim, shares, drain }: ClaimedJob,
): Promise<boolean> {
  const { fence } = claim;
  let isDivided = false;
  const use = fromProtoUse(claim.sourceUse);
  const attempt = { lease: { jobId, fence }, claim: { ...claim, use }, drain };
  const isReported = await runAttempt(runner, attempt, async (signal, progress) => {
    const done = await splitAndStore(runner, { jobId, claim, use, shares, signal, progress }).catch(
      (error: unknown) => {
        throw withoutValues(error, claim.sourceHeaders);
      },
    );
    isDivided = done.isDivided;
    return done.completion;
  });
  return isReported && isDivided;
}

interface AttemptAtJob extends Omit<ClaimedJob, 'drain'> {
  readonly use: SourceUse;
  readonly signal: AbortSignal;
  readonly progress: ProgressReport;
}

async function splitAndStore(
  runner: JobRunner,
  { jobId, claim, use, shares, signal, progress }: AttemptAtJob,
): Promise<{ readonly isDivided: boolean; readonly completion: Completion }> {
  const { store, leases, division } = runner;
  const { turn, fetches, streaming, aheadMemory } = shares;
  const { request, fence } = claim;
  if (request === undefined) throw new Error('the claim carries no request');
  const { accountId } = claim;
  progress.reportFetching({ fetchedBytes: 0, totalBytes: undefined });
  // Also aborts when the source breaks while the job waits for room. Released after the files are deleted.
  const over = new AbortController();
  using rooms = new DisposableStack();
  rooms.defer(() => over.abort(new Error('the attempt is over')));
  await using scratch = await openScratch(runner.scratchDir, jobId);
  const isStored = runner.isStored(request);
  await using source = await runner.openSource(request.sourceUrl, {
    maxBytes: Number(claim.maxSourceBytes),
    accountId,
    uploadKey: request.uploadKey,
    sourceHeaders: claim.sourceHeaders,
    sourceObject: claim.sourceObject,
    enterFetches: (waiting, isFirst) => fetches.enter(accountId, waiting, isFirst),
    use,
    signal,
  });
  await using archive = createPieceArchive(store, pieceArchiveKey(jobId, fence), signal);
  if (source.file !== undefined) progress.reportFetching(undefined);
  const outputFormat = outputFormats.toWord(request.outputFormat);
  const cut = fromProtoCut(readCut(request));
  // An upload exists as long as the dry run, and its waveform is drawn when it is first requested.
  const drawsWaveform =
    cut.mode === 'planned' && cut.request.dryRun === true && request.uploadKey === undefined;
  const reserve = minutesOf(leases, jobId, claim);
  // By index: an engine that had to start again produces its segments a second time.
  const stored = new Map<number, StoredSegment>();
  await using kept = await openScratch(runner.scratchDir, `${jobId}-kept`);
  await using buffer = createAheadBuffer(`${scratch.path}.ahead`, aheadMemory);
  let room: Reservation | undefined;
  let sourceRoom: SourceRoom | undefined;
  let wholeBytes: number | undefined;
  using fed = createFedSource({
    body: reportingFetch(source, progress, {
      onWait: () => sourceRoom?.waits(),
      onArrived: (bytes) => sourceRoom?.arrived(bytes),
      onEnd(bytes) {
        wholeBytes = bytes;
        sourceRoom?.complete(bytes);
      },
    }),
    accountId,
    turn,
    streaming,
    buffer,
    async prepare() {
      const copies = copiesOf(request);
      const waiting = AbortSignal.any([signal, over.signal]);
      const bytes = keptSourceBytes(runner, claim, {
        file: source.file,
        sizeBytes: wholeBytes ?? source.declaredSizeBytes,
      });
      const reservation = await runner.scratchBudget.reserve({ accountId, bytes }, waiting);
      if (over.signal.aborted) return reservation[Symbol.dispose]();
      room = rooms.use(reservation);
      if (wholeBytes !== undefined) return room.shrink(copies * wholeBytes);
      if (isStored) return;
      sourceRoom = rooms.use(createSourceRoom({ reservation, copies, signal: waiting }));
    },
    signal,
  });
  const prefix = `jobs/${jobId}/${fence}/`;
  let plannedBytes = 0;
  let keptBytes = 0;
  const grow = () => fed.withoutSlot(async () => await room?.grow(plannedBytes + keptBytes, signal));
  const staging =
    request.destination?.keepCopy === false
      ? stageInScratch(kept.path, (bytes) => {
          keptBytes = bytes;
          return grow();
        })
      : stageInStore(store, prefix, signal);
  const file = (await fed.ready(isStored)) ?? source.file;
  const { reopen } = source;
  const streamed = {
    source: fed.chunks,
    ...rangesOf(source, claim, progress, { withoutSlot: fed.withoutSlot, roomOf: () => sourceRoom }),
    ...(isStored ? {} : { onHunger: fed.onHunger }),
    ...(reopen === undefined
      ? {}
      : { reopenSource: () => counted(reopen(), (bytes) => sourceRoom?.arrived(bytes)) }),
    ...(source.declaredSizeBytes === undefined ? {} : { sourceSizeBytes: source.declaredSizeBytes }),
  };
  const result = await runner.split({
    ...(file === undefined ? streamed : { source: file }),
    cut,
    ...(outputFormat === undefined ? {} : { outputFormat }),
    // The parts of a divided job lie on several splitters, and no splitter has all of them.
    ...(division === undefined || claim.staysWhole || request.destination !== undefined ? {} : { division }),
    ...(drawsWaveform ? { waveform: { maxPixels: MAX_PIXELS, maxMs: runner.maxDrawingMs } } : {}),
    scratchDir: scratch.path,
    ffmpegPath: runner.ffmpegPath,
    sandbox: runner.sandbox,
    ...(claim.maxSourceDurationMs === undefined
      ? {}
      : { maxSourceDurationMs: Number(claim.maxSourceDurationMs) }),
    ...(claim.reservesMinutes ? { reserve } : {}),
    ...(claim.maxOutputBytes === undefined ? {} : { maxOutputBytes: Number(claim.maxOutputBytes) }),
    scratchRoom: {
      shareBytes: runner.scratchShareBytes,
      reserve(bytes) {
        plannedBytes = bytes;
        return grow();
      },
    },
    signal,
    onProgress: progress.report,
    async onSegment(segment) {
      await turn.pause(signal);
      if (segment.isPiece) await archive.add(segment);
      else stored.set(segment.index, await staging.add(segment));
    },
  });
  if (result.parts !== undefined) await archive.finish();
  signal.throwIfAborted();
  const sourceDurationMs = toMs(result.sourceSampleCount, result.sourceSampleRateHz);
  const outcome = {
    outputFormat: outputFormats.toEnum(result.outputFormat),
    sourceFileName: source.fileName,
    sourceDurationMs: BigInt(sourceDurationMs),
    ...(result.isSourceLengthEstimate === undefined ? {} : { sourceDurationIsEstimate: true }),
    sourceSizeBytes: BigInt(result.sourceSizeBytes),
  };
  await reserve(cut.mode === 'planned' ? meteredMsOf(cut.request, result) : sourceDurationMs);
  if (result.parts !== undefined) {
    const parts = result.parts.map((spec) => ({
      firstSegment: spec.firstSegment,
      segmentCount: spec.segmentCount,
      specJson: JSON.stringify(spec),
    }));
    const report = () => leases.divideJob({ jobId, fence, parts, ...outcome });
    return {
      isDivided: true,
      completion: { report, logMessage: 'job divided', details: { parts: parts.length } },
    };
  }
  const finished = [...stored.values()].sort((a, b) => a.index - b.index).slice(0, result.segmentCount);
  const segments =
    cut.mode === 'planned'
      ? allOf(finished, result.segmentCount)
      : withEnds(
          joinBorders(finished, {
            firstIndex: 0,
            count: result.segmentCount,
            startMs: 0,
            endMs: sourceDurationMs,
            sampleRateHz: result.sourceSampleRateHz,
          }),
          result.segmentCount,
        );
  if (drawsWaveform) await storeWaveform(store, jobId, result.waveform, signal);
  const template = cut.mode === 'planned' ? cut.request.fileName : undefined;
  const fileNames = segmentFileNames(template, source.fileName, segments);
  const { destinations } = runner;
  const isDelivered = destinations !== undefined && request.cut?.dryRun !== true;
  const delivered = isDelivered
    ? await fed.withoutSlot(() =>
        deliverJob(destinations, { jobId, claim, outcome, segments, fileNames }, staging, signal),
      )
    : segments;
  const protoSegments = toProtoSegments(delivered, fileNames);
  const used = cut.mode === 'planned' ? meteringOf(cut.request, result) : {};
  const report = () => leases.completeJob({ jobId, fence, segments: protoSegments, ...outcome, ...used });
  return {
    isDivided: false,
    completion: { report, logMessage: 'job completed', details: { segments: segments.length } },
  };
}

/** If one of its tracks is extracted, there are two copies of it. */
function copiesOf(request: ClaimJobResponse['request']): number {
  return request?.cut?.audioTrack === undefined ? 1 : 2;
}

/** The bytes of the source that may lie in the scratch folder. */
function keptSourceBytes(
  { scratchBudget }: JobRunner,
  { request, maxSourceBytes }: ClaimJobResponse,
  { file, sizeBytes }: { readonly file: OpenSource['file']; readonly sizeBytes: number | undefined },
): number {
  const copies = copiesOf(request);
  if (file !== undefined) return (copies - 1) * file.sizeBytes;
  // A source that does not report its size reserves the maximum, but not more than the limit of all sources
  // together.
  const bytes = sizeBytes ?? Math.min(Number(maxSourceBytes), scratchBudget.limitBytes / 2 / copies);
  return Math.floor(copies * bytes);
}

/** Throws if one is missing. */
function allOf(segments: readonly StoredSegment[], count: number): readonly StoredSegment[] {
  if (segments.length === count && segments.every(({ index }, position) => index === position))
    return segments;
  throw new Error(`${segments.length} of ${count} planned segments were made`);
}

function meteredMsOf(
  { dryRun }: CutRequest,
  { meteredSampleCount, sourceSampleRateHz }: Pick<SplitResult, 'meteredSampleCount' | 'sourceSampleRateHz'>,
): number {
  return dryRun === true ? 0 : toMs(meteredSampleCount ?? 0, sourceSampleRateHz);
}

function meteringOf(
  request: CutRequest,
  result: SplitResult,
): Pick<MessageInitShape<typeof CompleteJobRequestSchema>, 'meteredMs' | 'loudness'> {
  const { loudness } = result;
  const meteredMs = meteredMsOf(request, result);
  if (loudness === undefined) return { meteredMs: BigInt(meteredMs) };
  const { measuredLufs, gainDb, truePeakDbtp } = loudness;
  return {
    meteredMs: BigInt(meteredMs),
    loudness: {
      gainDb,
      ...(measuredLufs === undefined ? {} : { measuredLufs }),
      ...(truePeakDbtp === undefined ? {} : { truePeakDbtp }),
    },
  };
}
