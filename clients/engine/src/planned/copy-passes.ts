/**
 * Makes planned pieces by copying. Positions in the plan are those of the source; the file may begin later
 * than the source.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import type { CopyResult, CopySplitter } from '../copy/copy-splitter.ts';
import { LastSegmentReached } from '../copy/segments/segment-sequence.ts';
import { cutByPass, type Pass, planPasses } from '../cuts/planned/passes.ts';
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
  /** The position in the source where the file begins. */
  readonly offsetSeconds: number;
  /** Of the source. */
  readonly totalSeconds: number;
  readonly maxTagBytes: number;
  /** The source's claimed number of samples, if the plan was made with it. */
  readonly claimedSamples?: number | undefined;
  /**
   * The source is read only up to the end of the last piece. The claim counts as right unless the source ends
   * earlier.
   */
  readonly isEndLeftUnread?: boolean | undefined;
}

interface CopyTarget {
  /** Whether files are written; otherwise only their sizes are determined. */
  readonly areFilesMade: boolean;
  readonly onSegment: (pieceIndex: number, segment: FinishedSegment) => Promise<void>;
  /** The fraction over all passes. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * A plan that was made with a claimed length is verified by its first pass, which reads to the end, or by
 * each pass if the end is left unread. Until then nothing is handed out, and PlannedLengthError is thrown if
 * the source has, or may have, another length.
 *
 * Throws CopyNotPossibleError; earlier pieces may have been handed out by then. If cuts are between packets,
 * a piece within the last copied packet has no packet of its own and is not made.
 */
export async function copyPieces(plan: CopyPlan, target: CopyTarget): Promise<void> {
  const { pieces, offsetSeconds, totalSeconds, runtime, claimedSamples, isEndLeftUnread = false } = plan;
  const shifted = pieces.map((piece) => ({
    ...piece,
    startSeconds: piece.startSeconds - offsetSeconds,
    endSeconds: piece.endSeconds - offsetSeconds,
  }));
  const passes = planPasses(shifted, totalSeconds - offsetSeconds);
  for (const [number, pass] of passes.entries()) {
    const outputDir = join(runtime.workDir, `copies-${number}`);
    await mkdir(outputDir);
    const isVerified = claimedSamples === undefined || (number > 0 && !isEndLeftUnread);
    const held: [number, FinishedSegment][] = [];
    try {
      const { result, isEndSeen } = await runCopyPass(plan, pass, {
        ...target,
        onSegment: isVerified ? target.onSegment : async (index, segment) => void held.push([index, segment]),
        isReadToEnd: !isVerified && !isEndLeftUnread,
        outputDir,
        onProgress: (fraction) => target.onProgress?.((number + fraction) / passes.length),
      });
      const isLeftUnread = isEndLeftUnread && !isEndSeen;
      if (!isVerified && !isLeftUnread && result?.sourceSampleCount !== claimedSamples)
        throw new PlannedLengthError(`${claimedSamples} samples were claimed`);
      for (const [index, segment] of held) await target.onSegment(index, segment);
    } finally {
      await rm(outputDir, { recursive: true, force: true });
    }
  }
}

/**
 * The segments that would be made, in the order of the pieces; undefined for a piece that copying does not
 * make.
 */
export async function measurePieces(plan: CopyPlan): Promise<(FinishedSegment | undefined)[]> {
  const made = new Map<number, FinishedSegment>();
  await copyPieces(plan, {
    areFilesMade: false,
    onSegment: async (index, segment) => void made.set(index, segment),
  });
  return plan.pieces.map((_, index) => made.get(index));
}

/** The length of the file. Throws CopyNotPossibleError. */
export async function measureLength(
  plan: Pick<CopyPlan, 'splitter' | 'file' | 'runtime'>,
): Promise<SourceLength> {
  const nothing: Pass = { ends: [0], walkedSeconds: 0, pieceOf: () => undefined };
  const { result } = await runCopyPass({ ...plan, pieces: [], maxTagBytes: 0 }, nothing, {
    areFilesMade: false,
    outputDir: plan.runtime.workDir,
    isReadToEnd: true,
    onSegment: async () => undefined,
  });
  if (result === undefined) throw new Error('the source was not read to its end');
  return { sampleCount: result.sourceSampleCount, sampleRateHz: result.sourceSampleRateHz };
}

interface PassOutcome {
  /** Undefined if the walk has ended with the last wanted segment. */
  readonly result: CopyResult | undefined;
  /** The last byte of the source was read. */
  readonly isEndSeen: boolean;
}

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
): Promise<PassOutcome> {
  let takenBytes = 0;
  const outcomeOf = (result?: CopyResult): PassOutcome => ({
    result,
    isEndSeen: takenBytes >= file.sizeBytes,
  });
  const { chunks, memory } = createLocalFileReader(file);
  const source = chunks();
  try {
    const result = await splitter(source, {
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
      onBytes(byteCount) {
        takenBytes = byteCount;
        onProgress?.(byteCount / file.sizeBytes);
      },
      keptSource: async () => file,
      ...(file.absent === undefined ? {} : { sparseFile: file }),
      memory,
    });
    return outcomeOf(result);
  } catch (error) {
    if (!(error instanceof LastSegmentReached)) throw error;
    return outcomeOf();
  } finally {
    await source.return(undefined);
  }
}
