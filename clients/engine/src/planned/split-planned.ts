/**
 * Splits a source by a plan: the whole of it is kept in the working folder, looked at, planned and then cut.
 *
 * 1. The source comes in; one of its audio tracks is taken out where the request names one.
 * 2. A route is found (`route.ts`): copying, where the segments keep the source's format, else encoding. Either tells the
 *    exact length, but for copies of a source that tells its own: that is verified while they are made.
 * 3. The pieces are planned (`make-plan.ts`) with what the sound, the chapters and the sizes of copies tell.
 * 4. Passes over the source make the pieces. A dry run hands out their sizes instead.
 *
 * Failures are those of `split-audio.ts`. A copy that proves impossible midway goes on by encoding what was not handed out;
 * before anything is handed out, or under a ceiling of bytes, all is planned anew and encoded.
 */
import { CopyNotPossibleError } from '../copy/copy-splitter.ts';
import type { Piece } from '../cuts/planned/piece.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { FinishedSegment, Loudness, SplitResult } from '../media.ts';
import { isAttack, MediaError } from '../media-error.ts';
import { copyRoomBytes, UNBOUNDED_ROOM } from '../output/scratch-room.ts';
import { createProgress, type Progress } from '../progress.ts';
import type { SourceAccess } from '../source/source-access.ts';
import { copyPieces, measurePieces } from './copy-passes.ts';
import { dryRunSegments } from './dry-run.ts';
import { encodePieces } from './encode-passes.ts';
import { makePlan, meteredSeconds, type Plan } from './make-plan.ts';
import { maxTagBytesOf } from './max-tag-bytes.ts';
import { normaliseLoudness } from './normalise-loudness.ts';
import { PlannedLengthError } from './planned-length-error.ts';
import { handOutPiece } from './planned-segments.ts';
import { type PlannedSplit, type PlannedSplitOptions, preparePlannedSplit } from './prepare.ts';
import { needsMost } from './sparse-source.ts';

/** Of the work: the source is there, the plan is made, the segments are made. */
const KEPT_END = 0.3;
const PLANNED_END = 0.4;
const MADE_END = 0.99;

/** `chunks` are those of `access`, ended by an abort; `runtime.workDir` is private to the split. */
export async function splitPlanned(
  options: PlannedSplitOptions,
  runtime: FfmpegRuntime,
  access: SourceAccess,
  chunks: AsyncIterable<Uint8Array>,
): Promise<SplitResult> {
  const progress = createProgress(options.onProgress);
  const prepared = await preparePlannedSplit(options, runtime, access, chunks, progress.span(0, KEPT_END));
  const loudness = await normaliseLoudness(prepared);
  const split = loudness === undefined ? prepared : withGain(prepared, loudness.gainDb);
  return resultOf(await makeSurely(split, progress), loudness);
}

async function makeSurely(split: PlannedSplit, progress: Progress): Promise<MadeSplit> {
  try {
    return await makeSegments(split, progress);
  } catch (error) {
    split.runtime.signal.throwIfAborted();
    // From the beginning: another plan has other pieces, so what was handed out is handed out once more.
    if (split.route.isLengthClaimed) {
      if (!isClaimsFault(split, error)) throw error;
      return await makeSurely(await split.verified(), progress);
    }
    if (!(error instanceof CopyNotPossibleError) || split.route.kind !== 'copy') throw error;
    return await makeSegments(await split.encoded(), progress);
  }
}

/** Whether the split may have failed by a wrong length. A header says anything; the frames that were walked are there. */
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
  const { runtime, source, totalSeconds, output, route } = split;
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
    if (needsMost(pieces, totalSeconds)) await source.complete?.();
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
      // Under a ceiling, what is encoded has sizes of its own and needs another plan; so does a claim that was not verified.
      const needsNewPlan = route.kind === 'copy' && (maxSegmentBytes !== undefined || route.isLengthClaimed);
      if (!(error instanceof CopyNotPossibleError) || needsNewPlan) throw error;
      runtime.signal.throwIfAborted();
    }
  }
  // All of them, what copying has left, or nothing.
  await encodePieces({
    source,
    pieces,
    isDone: (index) => done.has(index),
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

async function handOutSizes(split: PlannedSplit, { pieces, copied }: Plan): Promise<void> {
  const plan = copied && {
    ...copied,
    splitter: copied.measuring,
    pieces,
    maxTagBytes: maxTagBytesOf(split, pieces),
  };
  const segments = plan === undefined ? dryRunSegments(split, pieces) : await measurePieces(plan);
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
  const { sampleCount, sampleRateHz } = route.length;
  return {
    outputFormat: route.outputFormat,
    segmentCount: pieces.length,
    sourceSampleCount: sampleCount,
    sourceSampleRateHz: sampleRateHz,
    sourceSizeBytes: source.receivedBytes,
    meteredSampleCount: meteredSeconds(pieces) * sampleRateHz,
    ...(loudness === undefined ? {} : { loudness }),
  };
}
