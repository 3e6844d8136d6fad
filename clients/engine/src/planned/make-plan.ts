/**
 * The pieces of a split, and the source of their copies.
 *
 * Under a ceiling of bytes, files whose size only encoding shows are cut after encoding: all audio to split
 * is first encoded as one file, which is then the source of copies. Requests that can be refused are refused
 * before that.
 */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { contentSeconds, type Piece } from '@audiosplit/cuts/plan/piece';
import { type Cut, plainCutOfDryRun } from '../cuts/cut.ts';
import { refuseManyPasses } from '../cuts/planned/passes.ts';
import { planPieces } from '../cuts/planned/plan-pieces.ts';
import type { FinishedSegment } from '../media.ts';
import { MediaError } from '../media-error.ts';
import { type CeilingOptions, type CopySource, planUnderCeiling } from './ceiling.ts';
import { measurePieces } from './copy-passes.ts';
import { encodeInOneFile } from './encode-in-one-file.ts';
import { maxTagBytesOf } from './max-tag-bytes.ts';
import { planBetweenPackets } from './packet-cuts.ts';
import { measurePlainCut, piecesOf } from './plain-dry-run.ts';
import { refuseBeyondOutput } from './planned-bytes.ts';
import type { PlannedSplit } from './prepare.ts';
import type { CopiedRoute } from './route.ts';
import { measureSizes } from './size-model.ts';

export interface Plan {
  readonly pieces: readonly Piece[];
  /** The source of the copies; undefined: pieces are encoded one by one. */
  readonly copied: CopySource | undefined;
  /** The sizes of a dry run, if making the plan has shown them. */
  readonly measured?: readonly FinishedSegment[];
}

/**
 * Throws what `planPieces` throws, QUOTA_EXCEEDED, OUTPUT_TOO_LARGE, TOO_MUCH_OVERLAP, and
 * CopyNotPossibleError if measuring shows it.
 */
export async function makePlan(split: PlannedSplit): Promise<Plan> {
  const { request, facts, route } = split;
  const plainCut = plainCutOfDryRun(request);
  if (plainCut !== undefined && route.kind === 'copy') return await measuredPlan(split, route, plainCut);
  const { maxFileSize } = request;
  const isMeasured = maxFileSize !== undefined && !isSizePredicted(split);
  const copied = copySourceOf(split) ?? (isMeasured ? await encodeWhatIsAllowed(split) : undefined);
  const sizes = maxFileSize !== undefined && route.kind === 'encode' ? route.sizes.model : undefined;

  const underCeiling =
    copied === undefined || maxFileSize === undefined ? undefined : await measureCopies(split, copied);

  function plan(asked: CutRequest): Promise<Piece[]> {
    return underCeiling === undefined || maxFileSize === undefined
      ? planPieces(asked, { ...facts, sizes })
      : planUnderCeiling({ ...asked, maxFileSize }, underCeiling);
  }

  const { maxDuration } = request;
  const pieces =
    copied?.isCutBetweenPackets === true && maxDuration !== undefined
      ? await planBetweenPackets(maxDuration, {
          plan: (maxSegmentSeconds) => plan({ ...request, maxDuration: maxSegmentSeconds }),
          measure: (some) => measurePieces({ ...measuredSource(copied), pieces: some, maxTagBytes: 0 }),
        })
      : await plan(request);
  await allow(split, pieces);
  return { pieces, copied };
}

async function measuredPlan(split: PlannedSplit, route: CopiedRoute, cut: Cut): Promise<Plan> {
  const measured = await measurePlainCut(split, route, cut);
  const pieces = piecesOf(measured);
  await allow(split, pieces);
  return { pieces, copied: copySourceOf(split), measured };
}

async function measureCopies(split: PlannedSplit, copied: CopySource): Promise<CeilingOptions> {
  const source = measuredSource(copied);
  const maxTagBytes = maxTagBytesOf(split, []);
  const sizeModel = await measureSizes(source, maxTagBytes);
  return { facts: split.facts, source, sizeModel, maxTagBytes };
}

function measuredSource(copied: CopySource): CopySource {
  return { ...copied, splitter: copied.measuring };
}

/** By arithmetic; for a dry run nothing is encoded, so sizes are estimated. */
function isSizePredicted({ route, request }: PlannedSplit): boolean {
  return route.kind === 'encode' && (route.sizes.areExact || request.dryRun === true);
}

/** Refuses, before anything is encoded, what is too much for pieces of any size. */
async function encodeWhatIsAllowed(split: PlannedSplit): Promise<CopySource> {
  const { request, facts } = split;
  // The size limit divides and a snap moves cuts: neither increases the amount that is split.
  const { snapToSilence: _, ...unsnapped } = request;
  await allow(split, await planPieces(unsnapped as CutRequest, facts));
  return await encodeInOneFile(split);
}

function copySourceOf({ route, source, runtime, totalSeconds }: PlannedSplit): CopySource | undefined {
  if (route.kind !== 'copy') return undefined;
  const { splitter, measuring, isCutBetweenPackets, isLengthClaimed } = route;
  return {
    splitter,
    measuring,
    isCutBetweenPackets,
    file: source.file,
    runtime,
    offsetSeconds: 0,
    totalSeconds,
    claimedSamples: isLengthClaimed ? route.length.sampleCount : undefined,
    isEndLeftUnread: source.isWalked,
  };
}

/** Throws QUOTA_EXCEEDED, OUTPUT_TOO_LARGE, and the errors of `refuseManyPasses` and `reserve`. */
async function allow(split: PlannedSplit, pieces: readonly Piece[]): Promise<void> {
  const { request, options, totalSeconds } = split;
  const { maxSourceDurationMs = Number.POSITIVE_INFINITY, reserve } = options;
  refuseManyPasses(pieces, totalSeconds);
  const neededMs = meteredSeconds(pieces) * 1_000;
  if (neededMs > maxSourceDurationMs) {
    const message = 'The segments together are longer than the minutes left in this period.';
    throw new MediaError('QUOTA_EXCEEDED', message);
  }
  if (request.dryRun !== true) await reserve?.(neededMs);
  refuseBeyondOutput(split, pieces);
}

/** In whole seconds. */
export function meteredSeconds(pieces: readonly Piece[]): number {
  const seconds = pieces.reduce((sum, piece) => sum + contentSeconds(piece), 0);
  // A sum may exceed a whole number by rounding errors.
  return Math.ceil(seconds - 1e-6);
}
