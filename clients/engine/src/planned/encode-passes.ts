/** Makes planned pieces by decoding and encoding. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import { convertSource } from '../convert/convert.ts';
import { cutByPass, type Pass, type PassLimits, planPasses } from '../cuts/planned/passes.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { FinishedSegment } from '../media.ts';
import type { ScratchRoom } from '../output/scratch-room.ts';
import { createProgress } from '../progress.ts';
import { PlannedLengthError } from './planned-length-error.ts';
import { tagsOfPiece } from './planned-segments.ts';
import { incomingFrom, type PlannedSource } from './planned-source.ts';
import type { EncodedOutput } from './route.ts';
import type { SourceProbe } from './source-probe.ts';

export interface EncodePlan {
  readonly source: PlannedSource;
  readonly probe: SourceProbe;
  readonly pieces: readonly Piece[];
  /** Pieces that exist already, by their index. */
  readonly isDone?: (index: number) => boolean;
  /** Of the source. */
  readonly totalSeconds: number;
  /** The source is a file with holes, and is read only where the pieces lie. */
  readonly isReadInParts?: boolean;
  /** The source's samples at its own rate, if the plan was made with the result of a walk. */
  readonly claimedSamples?: number | undefined;
  readonly limits: PassLimits;
  readonly output: EncodedOutput;
  readonly scratchRoom: ScratchRoom;
  readonly runtime: FfmpegRuntime;
  readonly onSegment: (pieceIndex: number, segment: FinishedSegment) => Promise<void>;
  readonly onProgress: (fraction: number) => void;
}

/**
 * Throws PlannedLengthError if pieces are missing, or if decoding to the end gives another length; the
 * finished pieces have been handed out by then.
 */
export async function encodePieces(plan: EncodePlan): Promise<void> {
  const { pieces, claimedSamples, runtime, output, scratchRoom, limits } = plan;
  const passes = passesOf(plan);
  for (const [number, pass] of passes.entries()) {
    const outputDir = join(runtime.workDir, `encoded-${number}`);
    await mkdir(outputDir);
    const missing = new Set([...pass.ends.keys()].filter((index) => pass.pieceOf(index) !== undefined));
    await using incoming = incomingFrom(plan.source, await plan.probe());
    const { sourceSampleCount } = await convertSource({
      ...output,
      scratchRoom,
      runtime,
      stop: runtime.stop,
      outputDir,
      incoming,
      cut: cutByPass(pass, limits),
      maxSourceDurationMs: undefined,
      resumeAt: undefined,
      progress: createProgress((fraction) => plan.onProgress((number + fraction) / passes.length)),
      tagsOf: (index) => tagsOfPiece(pieces, pass.pieceOf(index)),
      onSegment: async (segment) => {
        const index = pass.pieceOf(segment.index);
        if (index === undefined) return;
        missing.delete(segment.index);
        await plan.onSegment(index, segment);
      },
    });
    await rm(outputDir, { recursive: true, force: true });
    // NaN if it was not decoded to the end.
    if (claimedSamples !== undefined && sourceSampleCount >= 0 && sourceSampleCount !== claimedSamples)
      throw new PlannedLengthError(`${sourceSampleCount} samples, not ${claimedSamples}`);
    if (missing.size > 0)
      throw new PlannedLengthError(`${missing.size} pieces lie beyond the end of the source`);
  }
}

/**
 * The samples of a wav are read from the first wanted one to the last: in a file with holes, a pass for each
 * piece fetches nothing between them.
 */
function passesOf({ source, pieces, isDone = () => false, totalSeconds, isReadInParts }: EncodePlan): Pass[] {
  if (isReadInParts !== true || source.file.container !== 'wav')
    return planPasses(pieces, totalSeconds, isDone);
  return pieces.flatMap((_, wanted) =>
    planPasses(pieces, totalSeconds, (index) => index !== wanted || isDone(index)),
  );
}
