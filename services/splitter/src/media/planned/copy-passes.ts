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
}

interface CopyTarget {
  /** Files are made; without it their sizes alone are found. */
  readonly areFilesMade: boolean;
  readonly onSegment: (pieceIndex: number, segment: FinishedSegment) => Promise<void>;
  /** Of all passes. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Throws CopyNotPossibleError, where pieces before that may have been handed out. Where cuts lie between packets, a piece
 * within the last packet of what is copied has none of its own, and is not made.
 */
export async function copyPieces(plan: CopyPlan, target: CopyTarget): Promise<void> {
  const { pieces, offsetSeconds, totalSeconds, runtime } = plan;
  const shifted = pieces.map((piece) => ({
    ...piece,
    startSeconds: piece.startSeconds - offsetSeconds,
    endSeconds: piece.endSeconds - offsetSeconds,
  }));
  const passes = planPasses(shifted, totalSeconds - offsetSeconds);
  for (const [number, pass] of passes.entries()) {
    const outputDir = join(runtime.workDir, `copies-${number}`);
    await mkdir(outputDir);
    try {
      await runCopyPass(plan, pass, {
        ...target,
        outputDir,
        onProgress: (fraction) => target.onProgress?.((number + fraction) / passes.length),
      });
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
): Promise<Pick<CopyResult, 'sourceSampleCount' | 'sourceSampleRateHz'>> {
  const whole: Pass = { ends: [0], pieceOf: () => 0 };
  let length: FinishedSegment | undefined;
  const result = await runCopyPass({ ...plan, pieces: [], maxTagBytes: 0 }, whole, {
    areFilesMade: false,
    outputDir: plan.runtime.workDir,
    onSegment: async (_, segment) => {
      length = segment;
    },
  });
  if (result !== undefined) return result;
  if (length === undefined) throw new Error('the source gave no segment');
  return { sourceSampleCount: length.sampleCount, sourceSampleRateHz: length.sampleRateHz };
}

/** Undefined where the source was not read to its end. */
async function runCopyPass(
  { splitter, file, runtime, pieces, maxTagBytes }: Omit<CopyPlan, 'offsetSeconds' | 'totalSeconds'>,
  pass: Pass,
  { areFilesMade, onSegment, onProgress, outputDir }: CopyTarget & { readonly outputDir: string },
): Promise<CopyResult | undefined> {
  const { chunks, memory } = createLocalFileReader(file);
  const source = chunks();
  try {
    return await splitter(source, {
      cut: cutByPass(pass, { maxTagBytes }),
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
