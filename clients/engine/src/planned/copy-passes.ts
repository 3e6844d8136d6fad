/** Planned pieces by copying. Positions in the plan are those of the source, which the file may begin later than. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyResult, CopySplitter } from '../copy/copy-splitter.ts';
import { LastSegmentReached } from '../copy/segments/segment-sequence.ts';
import { cutByPass, type Pass, planPasses } from '../cuts/planned/passes.ts';
import type { Piece } from '../cuts/planned/piece.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { FinishedSegment } from '../media.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';
import type { SourceLength } from './claimed-length.ts';
import { PlannedLengthError } from './planned-length-error.ts';
import { tagsOfPiece } from './planned-segments.ts';

export interface CopyPlan {
  readonly splitter: CopySplitter;
  readonly file: LocalFile;
  readonly runtime: Pick<FfmpegRuntime, 'workDir' | 'signal' | 'stop'>;
  readonly pieces: readonly Piece[];
  /** Where in the source the file begins. */
  readonly offsetSeconds: number;
  /** Of the source. */
  readonly totalSeconds: number;
  readonly maxTagBytes: number;
  /** Of the source, where the plan was made with what it claims. */
  readonly claimedSamples?: number | undefined;
}

interface CopyTarget {
  /** Files are made; without it their sizes alone are found. */
  readonly areFilesMade: boolean;
  readonly onSegment: (pieceIndex: number, segment: FinishedSegment) => Promise<void>;
  /** Of all passes. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * A plan that was made with a claimed length is verified by its first pass, which reads to the end: until then nothing is
 * handed out, and PlannedLengthError is thrown where the source has another length.
 *
 * Throws CopyNotPossibleError, where pieces before that may have been handed out. Where cuts lie between packets, a piece
 * within the last packet of what is copied has none of its own, and is not made.
 */
export async function copyPieces(plan: CopyPlan, target: CopyTarget): Promise<void> {
  const { pieces, offsetSeconds, totalSeconds, runtime, claimedSamples } = plan;
  const shifted = pieces.map((piece) => ({
    ...piece,
    startSeconds: piece.startSeconds - offsetSeconds,
    endSeconds: piece.endSeconds - offsetSeconds,
  }));
  const passes = planPasses(shifted, totalSeconds - offsetSeconds);
  for (const [number, pass] of passes.entries()) {
    const outputDir = join(runtime.workDir, `copies-${number}`);
    await mkdir(outputDir);
    const isVerified = claimedSamples === undefined || number > 0;
    const held: [number, FinishedSegment][] = [];
    try {
      const result = await runCopyPass(plan, pass, {
        ...target,
        onSegment: isVerified ? target.onSegment : async (index, segment) => void held.push([index, segment]),
        isReadToEnd: !isVerified,
        outputDir,
        onProgress: (fraction) => target.onProgress?.((number + fraction) / passes.length),
      });
      if (!isVerified && result?.sourceSampleCount !== claimedSamples)
        throw new PlannedLengthError(`${claimedSamples} samples were claimed`);
      for (const [index, segment] of held) await target.onSegment(index, segment);
    } finally {
      await rm(outputDir, { recursive: true, force: true });
    }
  }
}

/** The segments that would be made, in the order of the pieces; undefined of a piece that copying does not make. */
export async function measurePieces(plan: CopyPlan): Promise<(FinishedSegment | undefined)[]> {
  const made = new Map<number, FinishedSegment>();
  await copyPieces(plan, {
    areFilesMade: false,
    onSegment: async (index, segment) => void made.set(index, segment),
  });
  return plan.pieces.map((_, index) => made.get(index));
}

/** How long the file is. Throws CopyNotPossibleError. */
export async function measureLength(
  plan: Pick<CopyPlan, 'splitter' | 'file' | 'runtime'>,
): Promise<SourceLength> {
  const whole: Pass = { ends: [0], walkedSeconds: 0, pieceOf: () => 0 };
  let length: FinishedSegment | undefined;
  const result = await runCopyPass({ ...plan, pieces: [], maxTagBytes: 0 }, whole, {
    areFilesMade: false,
    outputDir: plan.runtime.workDir,
    onSegment: async (_, segment) => {
      length = segment;
    },
  });
  if (result !== undefined)
    return { sampleCount: result.sourceSampleCount, sampleRateHz: result.sourceSampleRateHz };
  if (length === undefined) throw new Error('the source gave no segment');
  return { sampleCount: length.sampleCount, sampleRateHz: length.sampleRateHz };
}

/** Undefined where the source was not read to its end. */
async function runCopyPass(
  { splitter, file, runtime, pieces, maxTagBytes }: Omit<CopyPlan, 'offsetSeconds' | 'totalSeconds'>,
  pass: Pass,
  {
    areFilesMade,
    onSegment,
    onProgress,
    outputDir,
    isReadToEnd = false,
  }: CopyTarget & { readonly outputDir: string; readonly isReadToEnd?: boolean },
): Promise<CopyResult | undefined> {
  const { chunks, memory } = createLocalFileReader(file);
  const source = chunks();
  try {
    return await splitter(source, {
      cut: cutByPass(pass, { maxTagBytes, isReadToEnd }),
      outputDir,
      sizesOnly: !areFilesMade,
      signal: runtime.signal,
      tagsOf: (index) => tagsOfPiece(pieces, pass.pieceOf(index)),
      onSegment: async (segment) => {
        const index = pass.pieceOf(segment.index);
        if (index === undefined) return;
        await onSegment(index, segment).catch((error: unknown) => {
          runtime.stop(error);
          throw error;
        });
      },
      onBytes: (byteCount) => onProgress?.(byteCount / file.sizeBytes),
      keptSource: async () => file,
      memory,
    });
  } catch (error) {
    if (!(error instanceof LastSegmentReached)) throw error;
    return undefined;
  } finally {
    await source.return(undefined);
  }
}
