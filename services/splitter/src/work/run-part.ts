/** One attempt at a claimed part of a job: read its share of the source, convert, store, report. */

import { segmentFileName } from '@audiosplit/engine/names/segment-name';
import { type PartSpec, rangesOf } from '@audiosplit/engine/parts/part-spec';
import type { ClaimPartResponse } from '@audiosplit/proto/jobs/v1/jobs';
import { runAttempt } from './attempt.ts';
import type { JobRunner } from './run-job.ts';
import { openScratch } from './scratch.ts';
import { type CoreTurn, withoutSlot } from './shares/core-turns.ts';
import { pieceArchiveKey, readRanges } from './storing/piece-archive.ts';
import {
  joinBorders,
  type StoredSegment,
  storeSegment,
  toMs,
  toProtoSegments,
  withEnds,
} from './storing/segment-upload.ts';

interface ClaimedPart {
  readonly jobId: string;
  readonly claim: ClaimPartResponse;
  readonly turn: CoreTurn;
  /** Aborts with DrainingError. */
  readonly drain: AbortSignal;
}

/** Never rejects; resolves with whether the part is done. */
export async function runPart(
  runner: JobRunner,
  { jobId, claim, turn, drain }: ClaimedPart,
): Promise<boolean> {
  const { part, fence } = claim;
  const attempt = { lease: { jobId, part, fence }, claim, drain };
  return runAttempt(runner, attempt, async (signal, progress) => {
    // The claim of a part does not name its account, so the parts of a job wait in one queue.
    await turn.acquire(jobId, signal);
    const onProgress = progress.report;
    const segments = await convertAndStore(runner, { jobId, claim, turn, signal, onProgress });
    return {
      report: () => runner.leases.completePart({ jobId, part, fence, segments }),
      logMessage: 'part completed',
      details: { segments: segments.length },
    };
  });
}

interface AttemptAtPart extends Omit<ClaimedPart, 'drain'> {
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

async function convertAndStore(runner: JobRunner, { jobId, claim, turn, signal, onProgress }: AttemptAtPart) {
  const { part, fence, jobFence, specJson, sourceFileName, segmentCount } = claim;
  const { store, split, scratchDir: parentDir, ffmpegPath, sandbox } = runner;
  // Only splitters write it.
  const spec = JSON.parse(specJson) as PartSpec;
  await using scratch = await openScratch(parentDir, jobId);
  // The pieces are decoded as they arrive and not stored. Parts of a job have a queue of their own.
  using room = await runner.scratchBudget.reserve({ accountId: jobId, bytes: 0 }, signal);
  const stored = new Map<number, StoredSegment>();
  await split({
    source: readRanges(store, pieceArchiveKey(jobId, jobFence), rangesOf(spec), signal),
    cut: { mode: 'duration', segmentDurationSeconds: spec.segmentDurationSeconds },
    part: spec,
    scratchDir: scratch.path,
    scratchRoom: {
      shareBytes: runner.scratchShareBytes,
      reserve: (bytes) => withoutSlot({ turn, accountId: jobId, signal }, () => room.grow(bytes, signal)),
    },
    ffmpegPath,
    sandbox,
    signal,
    onProgress,
    async onSegment(segment) {
      await turn.pause(signal);
      const prefix = `jobs/${jobId}/${jobFence}/parts/${part}-${fence}/`;
      stored.set(segment.index, await storeSegment(store, prefix, segment, signal));
    },
  });
  signal.throwIfAborted();
  const finished = [...stored.values()].sort((a, b) => a.index - b.index);
  const { sampleRateHz } = spec.pcm;
  const segments = joinBorders(finished, {
    firstIndex: spec.firstSegment,
    count: spec.segmentCount,
    startMs: toMs(spec.startSample, sampleRateHz),
    endMs: toMs(spec.endSample, sampleRateHz),
    sampleRateHz,
  });
  const fileNames = segments.map(({ index, extension }) =>
    segmentFileName(sourceFileName, index, segmentCount, extension),
  );
  return toProtoSegments(withEnds(segments, segmentCount), fileNames);
}
