/**
 * Splits a source by a plan: the whole source is stored in the working folder, examined, planned and then
 * cut.
 *
 * 1. The source arrives; if the request names one of its audio tracks, that track is extracted.
 * 2. A route is chosen (`route.ts`): copying if the segments keep the source's format, otherwise encoding.
 *    Both determine the exact length, with two exceptions among copies: a source that states its length,
 *    which is verified while the copies are made, and a source that is not fetched to its end.
 * 3. The pieces are planned (`make-plan.ts`) from the sound, the chapters and the sizes of copies.
 * 4. Passes over the source make the pieces. A dry run hands out their sizes instead, and may draw the
 *    waveform.
 *
 * Failures are those of `split-audio.ts`. If a copy proves impossible midway, the pieces not yet handed out
 * are encoded. If nothing was handed out yet, or there is a ceiling of bytes, everything is planned again and
 * encoded.
 */

import type { Piece } from '@audiosplit/cuts/plan/piece';
import { CopyNotPossibleError } from '../copy/copy-splitter.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { FinishedSegment, Loudness, SplitResult } from '../media.ts';
import { isAttack, MediaError } from '../media-error.ts';
import { copyRoomBytes, UNBOUNDED_ROOM } from '../output/scratch-room.ts';
import { createProgress, type Progress } from '../progress.ts';
import type { OpenedSource } from '../source/source-access.ts';
import { copyPieces, measurePieces } from './copy-passes.ts';
import { drawSource } from './draw-source.ts';
import { dryRunSegments } from './dry-run.ts';
import { encodePieces } from './encode-passes.ts';
import { makePlan, meteredSeconds, type Plan } from './make-plan.ts';
import { maxTagBytesOf } from './max-tag-bytes.ts';
import { normaliseLoudness } from './normalise-loudness.ts';
import { PlannedLengthError } from './planned-length-error.ts';
import { handOutPiece } from './planned-segments.ts';
import { type PlannedSplit, type PlannedSplitOptions, preparePlannedSplit } from './prepare.ts';
import { needsMost } from './sparse-source.ts';

/** The share of the work after each step: the source is stored, the plan is made, the segments are made. */
const KEPT_END = 0.3;
const PLANNED_END = 0.4;
const MADE_END = 0.99;

/** `runtime.workDir` is private to the split. */
export async function splitPlanned(
  options: PlannedSplitOptions,
  runtime: FfmpegRuntime,
  opened: OpenedSource,
): Promise<SplitResult> {
  const progress = createProgress(options.onProgress);
  const report = progress.span(0, KEPT_END);
  const prepared = await preparePlannedSplit(options, runtime, { ...opened, report });
  const loudness = await normaliseLoudness(prepared);
  const split = loudness === undefined ? prepared : withGain(prepared, loudness.gainDb);
  const made = await makeSurely(split, progress);
  const waveform = await drawSource(made.split);
  return { ...resultOf(made, loudness), ...(waveform === undefined ? {} : { waveform }) };
}

async function makeSurely(split: PlannedSplit, progress: Progress): Promise<MadeSplit> {
  try {
    return await makeSegments(split, progress);
  } catch (error) {
    split.runtime.signal.throwIfAborted();
    // From the beginning: the new plan has other pieces, so segments that were handed out are handed out
    // again.
    if (split.route.isLengthClaimed) {
      if (!isClaimsFault(split, error)) throw error;
      return await makeSurely(await split.verified(), progress);
    }
    if (!(error instanceof CopyNotPossibleError) || split.route.kind !== 'copy') throw error;
    return await makeSegments(await split.encoded(), progress);
  }
}

/**
 * Whether a wrong length may have caused the failure. A header may state anything; walked frames certainly
 * exist.
 */
function isClaimsFault({ route }: PlannedSplit, error: unknown): boolean {
  if (error instanceof PlannedLengthError) return true;
  if (route.kind === 'encode') return false;
  return error instanceof CopyNotPossibleError || (error instanceof MediaError && !isAttack(error));
}

interface MadeSplit {
  readonly split: PlannedSplit;
  readonly pieces: readonly Piece[];
}

async function makeSegments(split: PlannedSplit, progress: Progress): Promise<MadeSplit> {
  const plan = await makePlan(split);
  split.options.onPlan?.(plan.pieces.length);
  progress.span(0, PLANNED_END)(1, 1);
  const reportMade = progress.span(PLANNED_END, MADE_END);
  if (split.request.dryRun === true) await handOutSizes(split, plan);
  else await handOutFiles(split, plan, (fraction) => reportMade(fraction, 1));
  return { split, pieces: plan.pieces };
}

function withGain(split: PlannedSplit, gainDb: number): PlannedSplit {
  return { ...split, output: { ...split.output, gainDb } };
}

async function handOutFiles(
  split: PlannedSplit,
  { pieces, copied }: Plan,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { runtime, source, probe, totalSeconds, output, route } = split;
  const { maxFileSize: maxSegmentBytes } = split.request;
  const maxTagBytes = maxTagBytesOf(split, pieces);
  const { scratchRoom = UNBOUNDED_ROOM } = split.options;
  const done = new Set<number>();
  const handOut = async (index: number, segment: FinishedSegment, offsetSeconds = 0): Promise<void> => {
    if (maxSegmentBytes !== undefined && segment.sizeBytes > maxSegmentBytes)
      throw new Error(
        `segment ${index} has ${segment.sizeBytes} bytes, above the limit of ${maxSegmentBytes}`,
      );
    await handOutPiece({ pieces, offsetSeconds, ...handOutTo(split) }, index, segment);
    done.add(index);
  };
  if (copied !== undefined) {
    await scratchRoom.reserve(copyRoomBytes(copied.file.sizeBytes, maxSegmentBytes));
    if (needsMost(pieces, totalSeconds, source)) {
      await source.complete?.();
      if (source.isWalked === true && route.isLengthClaimed)
        throw new PlannedLengthError('all of the source is there to be counted');
    }
    try {
      await copyPieces(
        { ...copied, pieces, maxTagBytes },
        {
          areFilesMade: true,
          onSegment: (index, segment) => handOut(index, segment, copied.offsetSeconds),
          onProgress,
        },
      );
    } catch (error) {
      // Under a ceiling, encoded pieces have other sizes and need another plan. The same applies to a claim
      // that was not verified, and to a source that was not walked, because decoding may find another length.
      const isLengthUncertain = route.isLengthClaimed || source.complete !== undefined;
      const needsNewPlan = route.kind === 'copy' && (maxSegmentBytes !== undefined || isLengthUncertain);
      if (!(error instanceof CopyNotPossibleError) || needsNewPlan) throw error;
      runtime.signal.throwIfAborted();
    }
  }
  const isReadInParts =
    route.kind === 'encode' && route.isReadInParts && !needsMost(pieces, totalSeconds, source);
  if (!isReadInParts && done.size < pieces.length) await source.complete?.();
  // All pieces, those that copying has left, or none.
  await encodePieces({
    source,
    probe,
    pieces,
    isDone: (index) => done.has(index),
    isReadInParts,
    totalSeconds,
    claimedSamples: route.kind === 'encode' && route.isLengthClaimed ? route.length.sampleCount : undefined,
    limits: { maxSegmentBytes, maxTagBytes },
    output,
    scratchRoom,
    runtime,
    onSegment: handOut,
    onProgress,
  });
}

function handOutTo({ options }: PlannedSplit) {
  return { outputDir: options.scratchDir, onSegment: options.onSegment };
}

async function handOutSizes(split: PlannedSplit, { pieces, copied, measured }: Plan): Promise<void> {
  const plan = copied && {
    ...copied,
    splitter: copied.measuring,
    pieces,
    maxTagBytes: maxTagBytesOf(split, pieces),
  };
  const segments =
    measured ?? (plan === undefined ? dryRunSegments(split, pieces) : await measurePieces(plan));
  for (const [index, segment] of segments.entries()) {
    if (segment === undefined) throw new CopyNotPossibleError('a piece lies within a packet');
    const dryRun = { isExactSize: plan !== undefined };
    await handOutPiece({ pieces, offsetSeconds: 0, ...handOutTo(split) }, index, { ...segment, dryRun });
  }
}

function resultOf(
  { split: { route, source }, pieces }: MadeSplit,
  loudness: Loudness | undefined,
): SplitResult {
  const { sampleCount, sampleRateHz, isEstimate } = route.length;
  return {
    outputFormat: route.outputFormat,
    segmentCount: pieces.length,
    sourceSampleCount: sampleCount,
    sourceSampleRateHz: sampleRateHz,
    ...(isEstimate === undefined ? {} : { isSourceLengthEstimate: isEstimate }),
    sourceSizeBytes: source.receivedBytes,
    meteredSampleCount: meteredSeconds(pieces) * sampleRateHz,
    ...(loudness === undefined ? {} : { loudness }),
  };
}
