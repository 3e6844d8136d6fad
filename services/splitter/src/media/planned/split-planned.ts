/**
 * Splits a source by a plan: the whole of it is kept in the working folder, looked at, planned and then cut.
 *
 * 1. The source comes in; one of its audio tracks is taken out where the request names one.
 * 2. A route is found (`route.ts`): copying, where the segments keep the source's format, else encoding. Either tells the
 *    exact length.
 * 3. The pieces are planned (`cuts/planned/`) with what the sound, the chapters and the sizes of copies tell
 *    (`source-facts.ts`, `ceiling.ts`). Under a ceiling of bytes, files whose size only encoding tells are cut behind it:
 *    all that is split is encoded as one file first, which then is the source of copies.
 * 4. Passes over the source make the pieces. A dry run hands out their sizes instead.
 *
 * Failures are those of `split-audio.ts`. A copy that proves impossible midway goes on by encoding what was not handed out.
 */
import { CopyNotPossibleError } from '../copy/copy-splitter.ts';
import { maxTagBytesByLength, maxTagBytesBySize } from '../cuts/cut-rule.ts';
import { contentSeconds, type Piece } from '../cuts/planned/piece.ts';
import { planPieces } from '../cuts/planned/plan-pieces.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { FinishedSegment, Loudness, SplitResult } from '../media.ts';
import { MediaError } from '../media-error.ts';
import { createProgress } from '../progress.ts';
import type { SourceAccess } from '../source/source-access.ts';
import { type CopySource, planUnderCeiling } from './ceiling.ts';
import { copyPieces, measurePieces } from './copy-passes.ts';
import { dryRunSegments } from './dry-run.ts';
import { encodeInOneFile } from './encode-in-one-file.ts';
import { encodePieces } from './encode-passes.ts';
import { normaliseLoudness } from './normalise-loudness.ts';
import { handOutPiece } from './planned-segments.ts';
import { type PlannedSplit, type PlannedSplitOptions, preparePlannedSplit } from './prepare.ts';

/** Of the work: the source is there, the plan is made, the segments are made. */
const KEPT_END = 0.3;
const PLANNED_END = 0.4;
const MADE_END = 0.99;

interface Plan {
  readonly pieces: readonly Piece[];
  /** What is copied; undefined: pieces are encoded one by one. */
  readonly copied: CopySource | undefined;
}

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
  const plan = await makePlan(split);
  refuseBeyondQuota(plan.pieces, options.maxSourceDurationMs);
  progress.span(0, PLANNED_END)(1, 1);
  const reportMade = progress.span(PLANNED_END, MADE_END);
  if (options.request.dryRun === true) await handOutSizes(split, plan);
  else await handOutFiles(split, plan, (fraction) => reportMade(fraction, 1));
  return resultOf(split, plan.pieces, loudness);
}

function withGain(split: PlannedSplit, gainDb: number): PlannedSplit {
  return { ...split, output: { ...split.output, gainDb } };
}

async function makePlan(split: PlannedSplit): Promise<Plan> {
  const { request, facts, route } = split;
  const { maxFileSize } = request;
  if (maxFileSize === undefined) {
    return { pieces: await planPieces(request, facts), copied: copySourceOf(split) };
  }
  const capped = { ...request, maxFileSize };
  // Of a dry run nothing is encoded: sizes are estimated.
  if (route.kind === 'encode' && (route.sizes.areExact || request.dryRun === true)) {
    return { pieces: await planPieces(request, { ...facts, sizes: route.sizes.model }), copied: undefined };
  }
  const copied = copySourceOf(split) ?? (await encodeWithinBounds(split));
  return { pieces: await planUnderCeiling(capped, facts, copied, maxTagBytesOf(split, [])), copied };
}

/** What the pieces alone show to be too much is refused before anything is encoded: their sizes divide, and add nothing. */
async function encodeWithinBounds(split: PlannedSplit): Promise<CopySource> {
  const { request, facts, options } = split;
  refuseBeyondQuota(await planPieces(request, facts), options.maxSourceDurationMs);
  return await encodeInOneFile(split);
}

function copySourceOf({ route, source, runtime, totalSeconds }: PlannedSplit): CopySource | undefined {
  if (route.kind !== 'copy') return undefined;
  const { splitter, measuring } = route;
  return { splitter, measuring, file: source.file, runtime, offsetSeconds: 0, totalSeconds };
}

function maxTagBytesOf({ request }: PlannedSplit, pieces: readonly Piece[]): number {
  const { maxFileSize } = request;
  if (maxFileSize !== undefined) return maxTagBytesBySize(maxFileSize);
  const seconds = pieces.reduce((sum, piece) => sum + contentSeconds(piece), 0);
  return maxTagBytesByLength(seconds / pieces.length);
}

function refuseBeyondQuota(pieces: readonly Piece[], maxSourceDurationMs: number | undefined): void {
  if (maxSourceDurationMs === undefined || meteredSeconds(pieces) * 1_000 <= maxSourceDurationMs) return;
  throw new MediaError(
    'QUOTA_EXCEEDED',
    'The segments together are longer than the minutes left in this period.',
  );
}

/** In whole seconds. */
function meteredSeconds(pieces: readonly Piece[]): number {
  const seconds = pieces.reduce((sum, piece) => sum + contentSeconds(piece), 0);
  // What was added up may be above a whole number by what adding rounds.
  return Math.ceil(seconds - 1e-6);
}

async function handOutFiles(
  split: PlannedSplit,
  { pieces, copied }: Plan,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const { runtime, source, totalSeconds, output } = split;
  const { maxFileSize: maxSegmentBytes } = split.request;
  const maxTagBytes = maxTagBytesOf(split, pieces);
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
    try {
      return await copyPieces(
        { ...copied, pieces, maxTagBytes },
        {
          areFilesMade: true,
          onSegment: (index, segment) => handOut(index, segment, copied.offsetSeconds),
          onProgress,
        },
      );
    } catch (error) {
      if (!(error instanceof CopyNotPossibleError)) throw error;
      runtime.signal.throwIfAborted();
    }
  }
  await encodePieces({
    source,
    pieces,
    isDone: (index) => done.has(index),
    totalSeconds,
    limits: { maxSegmentBytes, maxTagBytes },
    output,
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
    const dryRun = { isExactSize: plan !== undefined };
    await handOutPiece({ pieces, offsetSeconds: 0, ...handOutTo(split) }, index, { ...segment, dryRun });
  }
}

function resultOf(
  { route, source }: PlannedSplit,
  pieces: readonly Piece[],
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
