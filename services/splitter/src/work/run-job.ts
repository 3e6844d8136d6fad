/**
 * One attempt at one claimed job: fetch, split, store, report. A long conversion may be prepared for several splitters
 * instead, and reported as divided: then its parts are claimed one by one (`run-part.ts`).
 */

import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { SplitOptions, SplitResult } from '@audiosplit/engine/media';
import { segmentFileNames } from '@audiosplit/engine/names/segment-name';
import type { DivisionOptions } from '@audiosplit/engine/parts/plan-parts';
import type { Sandbox } from '@audiosplit/engine/sandbox/sandbox';
import type { CutRequest } from '@audiosplit/proto/cut';
import { outputFormats } from '@audiosplit/proto/enum-words';
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
import { type Completion, runAttempt } from './attempt.ts';
import type { ProgressReport } from './lease/lease-keeper.ts';
import type { LeaseWatch } from './lease/lease-watch.ts';
import { rangesOf, reportingFetch } from './reporting-fetch.ts';
import { minutesOf } from './reserve-minutes.ts';
import { openScratch } from './scratch.ts';
import type { Reservation, ScratchBudget } from './scratch-budget.ts';
import { createAheadBuffer } from './shares/ahead-buffer.ts';
import { createFedSource } from './shares/fed-source.ts';
import type { JobShares } from './shares/shares.ts';
import { createPieceArchive, pieceArchiveKey } from './storing/piece-archive.ts';
import {
  joinBorders,
  type StoredSegment,
  storeSegment,
  toMs,
  toProtoSegments,
  withEnds,
} from './storing/segment-upload.ts';
import { withoutValues } from './without-values.ts';

export interface JobRunner {
  readonly leases: Client<typeof JobLeaseService>;
  readonly leaseWatch?: LeaseWatch;
  readonly store: ObjectStore;
  readonly openSource: (url: string, options: JobSourceOptions) => Promise<OpenSource>;
  /** Whether the source lies in the store, and has to be waited for no longer than the store. */
  readonly isStored: (request: Pick<SplitRequest, 'sourceUrl' | 'uploadKey'>) => boolean;
  readonly split: (options: SplitOptions) => Promise<SplitResult>;
  /** Absent: every job is done whole. */
  readonly division?: DivisionOptions | undefined;
  readonly scratchDir: string;
  readonly scratchBudget: ScratchBudget;
  /** Of it, what a job may hold without being in the way of others. */
  readonly scratchShareBytes: number;
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
  readonly enterFetches: EnterFetches;
}

/** Never rejects; resolves with whether the job has been divided. `drain` aborts with DrainingError. */
export async function runJob(
  runner: JobRunner,
  jobId: string,
  claim: ClaimJobResponse,
  shares: JobShares,
  drain: AbortSignal,
): Promise<boolean> {
  const { fence } = claim;
  let isDivided = false;
  const use = fromProtoUse(claim.sourceUse);
  const isHeard = await runAttempt(
    runner,
    { jobId, fence },
    { ...claim, use },
    drain,
    async (signal, progress) => {
      const done = await splitAndStore(runner, jobId, { claim, use }, shares, signal, progress).catch(
        (error: unknown) => {
          throw withoutValues(error, claim.sourceHeaders);
        },
      );
      isDivided = done.isDivided;
      return done.completion;
    },
  );
  return isHeard && isDivided;
}

async function splitAndStore(
  runner: JobRunner,
  jobId: string,
  { claim, use }: { readonly claim: ClaimJobResponse; readonly use: SourceUse },
  { turn, fetches, streaming }: JobShares,
  signal: AbortSignal,
  progress: ProgressReport,
): Promise<{ readonly isDivided: boolean; readonly completion: Completion }> {
  const { store, leases, division } = runner;
  const { request, fence } = claim;
  if (request === undefined) throw new Error('the claim carries no request');
  const { accountId } = claim;
  progress.reportFetching({ fetchedBytes: 0, totalBytes: undefined });
  await using scratch = await openScratch(runner.scratchDir, jobId);
  const isStored = runner.isStored(request);
  await using source = await runner.openSource(request.sourceUrl, {
    maxBytes: Number(claim.maxSourceBytes),
    accountId,
    uploadKey: request.uploadKey,
    sourceHeaders: claim.sourceHeaders,
    enterFetches: (waiting, isFirst) => fetches.enter(accountId, waiting, isFirst),
    use,
    signal,
  });
  await using archive = createPieceArchive(store, pieceArchiveKey(jobId, fence), signal);
  if (source.file !== undefined) progress.reportFetching(undefined);
  const outputFormat = outputFormats.toWord(request.outputFormat);
  const cut = fromProtoCut(readCut(request));
  const reserve = minutesOf(leases, jobId, claim);
  // By index: an engine that had to begin anew hands its segments out once more.
  const stored = new Map<number, StoredSegment>();
  await using buffer = createAheadBuffer(`${scratch.path}.ahead`);
  using reservations = new DisposableStack();
  let room: Reservation | undefined;
  let wholeBytes: number | undefined;
  using fed = createFedSource({
    body: reportingFetch(source, progress, (bytes) => {
      wholeBytes = bytes;
      room?.shrink(copiesOf(request) * bytes);
    }),
    accountId,
    turn,
    streaming,
    buffer,
    async prepare() {
      const bytes = keptSourceBytes(runner, source, claim, wholeBytes);
      room = reservations.use(await runner.scratchBudget.reserve({ accountId, bytes }, signal));
    },
    signal,
  });
  await fed.ready(isStored);
  const result = await runner.split({
    source: source.file ?? fed.chunks,
    ...rangesOf(source, claim, progress, fed),
    ...(isStored ? {} : { onHunger: fed.onHunger }),
    ...(source.reopen === undefined ? {} : { reopenSource: source.reopen }),
    ...(source.declaredSizeBytes === undefined ? {} : { sourceSizeBytes: source.declaredSizeBytes }),
    cut,
    ...(outputFormat === undefined ? {} : { outputFormat }),
    ...(division === undefined || claim.staysWhole ? {} : { division }),
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
      reserve: (bytes) => fed.withoutSlot(async () => await room?.grow(bytes, signal)),
    },
    signal,
    onProgress: progress.report,
    async onSegment(segment) {
      if (segment.isPiece) await archive.add(segment);
      else stored.set(segment.index, await storeSegment(store, `jobs/${jobId}/${fence}/`, segment, signal));
    },
  });
  if (result.parts !== undefined) await archive.finish();
  signal.throwIfAborted();
  const sourceDurationMs = toMs(result.sourceSampleCount, result.sourceSampleRateHz);
  const outcome = {
    outputFormat: outputFormats.toEnum(result.outputFormat),
    sourceFileName: source.fileName,
    sourceDurationMs: BigInt(sourceDurationMs),
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
  const template = cut.mode === 'planned' ? cut.request.fileName : undefined;
  const protoSegments = toProtoSegments(segments, segmentFileNames(template, source.fileName, segments));
  const used = cut.mode === 'planned' ? meteringOf(cut.request, result) : {};
  const report = () => leases.completeJob({ jobId, fence, segments: protoSegments, ...outcome, ...used });
  return {
    isDivided: false,
    completion: { report, logMessage: 'job completed', details: { segments: segments.length } },
  };
}

/** With one of its tracks taken out there are two of it. */
function copiesOf(request: ClaimJobResponse['request']): number {
  return request?.cut?.audioTrack === undefined ? 1 : 2;
}

/** What the scratch folder may hold of the source. */
function keptSourceBytes(
  { scratchBudget }: JobRunner,
  { file, declaredSizeBytes }: OpenSource,
  { request, maxSourceBytes }: ClaimJobResponse,
  wholeBytes = declaredSizeBytes,
): number {
  const copies = copiesOf(request);
  if (file !== undefined) return (copies - 1) * file.sizeBytes;
  // One that does not say holds what it may, as far as that is not more than sources may take together.
  const bytes = wholeBytes ?? Math.min(Number(maxSourceBytes), scratchBudget.limitBytes / 2 / copies);
  return Math.floor(copies * bytes);
}

/** Throws where one is missing. */
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
