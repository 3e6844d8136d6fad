/**
 * Prepares a long conversion for several splitters: probes the source and, while it arrives, cuts it into
 * pieces that can each be decoded independently.
 *
 * A source is divided only if the result has exactly the segments of converting the whole. That requires a
 * source whose copies decode to the same samples (mp3, wav, flac), cuts that are known beforehand (by
 * duration: under a byte ceiling a segment begins where the previous one was full), and no change of the
 * sample rate (a resampler keeps state). Copying costs less than a hundredth of the encoding; if it turns out
 * to be impossible, the source is converted whole.
 */

import { probeSource } from '../convert/input/probe.ts';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import type { IncomingSource } from '../convert/input/receive.ts';
import { createStreamingSource } from '../convert/input/streaming-source.ts';
import { readCover } from '../convert/tags/cover.ts';
import { canHoldCover } from '../convert/tags/embed-cover.ts';
import { type CopyContainer, CopyNotPossibleError, createCopySplitter } from '../copy/copy-splitter.ts';
import { readFrameHeader } from '../copy/mp3/frame-header.ts';
import { id3v2Bytes } from '../copy/tags/id3v2.ts';
import { createCutRule } from '../cuts/create-cut-rule.ts';
import { cutByDuration } from '../cuts/duration.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import { encodingFor, workingShape } from '../formats/encoding.ts';
import type { FinishedSegment, SplitOptions, SplitResult } from '../media.ts';
import { MediaError } from '../media-error.ts';
import { createOutputLimit } from '../output/output-limit.ts';
import { plannedOutputBytes } from '../output/planned-output.ts';
import type { Progress } from '../progress.ts';
import { writeCoverPiece } from './cover-piece.ts';
import type { PartsBasis, SourcePiece } from './part-spec.ts';
import { isWorthDividing, planParts } from './plan-parts.ts';

/** Every piece is decoded by its own process, and up to two pieces are decoded only for a few samples. */
const PIECE_SECONDS = 60;
/** Longer sources get longer pieces, because a splitter produces at most 10,000 files. */
const MAX_PIECES = 5_000;
/** Applies to any length that a header claims, because a part reads whole pieces. */
const MAX_PIECE_SECONDS = 300;
/** One piece is stored while the next is written. */
const PIECES_ROOM_BYTES = 256 * 1024 * 1024;
/** The share of the job; the rest is for the parts. */
const PREPARING_END = 0.1;
const ID3_HEADER_BYTES = 10;

const CONTAINERS = ['mp3', 'wav', 'flac'] as const satisfies readonly CopyContainer[];

export type DivisionOutcome =
  | { readonly kind: 'divided'; readonly result: SplitResult }
  /** Nothing was handed out; the source can still be read from its first byte. */
  | { readonly kind: 'small'; readonly bytes: AsyncIterable<Uint8Array> }
  /** The source has been read, in part or to its end, and pieces may have been handed out. */
  | { readonly kind: 'declined' };

/** Whether the source may be divided, as far as is known without reading it. */
export function mayDivide(
  { sniffed: { container }, sizeBytes }: Pick<IncomingSource, 'sniffed' | 'sizeBytes'>,
  { division, outputFormat, cut }: SplitOptions,
): boolean {
  return (
    division !== undefined &&
    outputFormat !== undefined &&
    cut.mode === 'duration' &&
    sizeBytes !== undefined &&
    CONTAINERS.some((known) => known === container)
  );
}

interface DivisionContext {
  /** Whether the spool must keep the source, because there is no other way back to its beginning. */
  readonly isKept: boolean;
  readonly progress: Progress;
  readonly stop: (reason: unknown) => void;
}

/** Call it if `mayDivide`. Throws `MediaError` if the source is at fault or longer than allowed. */
export async function divideSource(
  runtime: FfmpegRuntime,
  incoming: Omit<IncomingSource, 'isUntouched'>,
  options: SplitOptions,
  { isKept, progress, stop }: DivisionContext,
): Promise<DivisionOutcome> {
  const { division, outputFormat, cut, maxSourceDurationMs } = options;
  const { sniffed, sizeBytes = 0, spool } = incoming;
  const container = CONTAINERS.find((known) => known === sniffed.container);
  const splitter = container && createCopySplitter(container);
  if (!division || !outputFormat || cut.mode !== 'duration' || !splitter)
    throw new TypeError('not divisible');

  const streaming = createStreamingSource(sniffed.container, incoming.bytes, sizeBytes);
  const whole = { kind: 'small', bytes: streaming.whole() } as const;
  const probed = await probe(runtime, streaming);
  if (probed === undefined) return whole;
  const encoding = encodingFor(outputFormat);
  const pcm = workingShape(encoding, probed);
  const seconds = await guessSeconds(probed, streaming, sizeBytes);
  const { segmentDurationSeconds } = cut;
  if (
    pcm.sampleRateHz !== probed.sampleRateHz ||
    seconds === undefined ||
    !isWorthDividing(encoding.name, seconds, segmentDurationSeconds, division)
  )
    return whole;

  if (!isKept) spool.release();
  await options.scratchRoom?.reserve(Math.min(sizeBytes, PIECES_ROOM_BYTES));
  const cover = canHoldCover(encoding.name)
    ? await readCover(streaming, createCutRule(cut).maxTagBytes)
    : undefined;
  const handOut = (piece: FinishedSegment) =>
    options.onSegment({ ...piece, isPiece: true }).catch((error: unknown) => {
      stop(error);
      throw error;
    });
  if (cover !== undefined) await handOut(await writeCoverPiece(options.scratchDir, cover));
  const pieces: SourcePiece[] = [];
  const report = progress.span(0, PREPARING_END);
  try {
    const copied = await splitter(whole.bytes, {
      cut: cutByDuration(pieceSeconds(seconds)),
      outputDir: options.scratchDir,
      withoutTags: true,
      signal: runtime.signal,
      ...(maxSourceDurationMs === undefined ? {} : { maxSourceDurationMs }),
      onCommitted: spool.release,
      onBytes: (bytes) => report(bytes, sizeBytes),
      async onSegment(piece) {
        await handOut(piece);
        pieces.push({ sizeBytes: piece.sizeBytes, sampleCount: piece.sampleCount });
      },
    });
    if (copied.sourceSampleRateHz !== probed.sampleRateHz) return { kind: 'declined' };
    const parts = planParts(basisOf(probed), pieces, division);
    const segmentCount = parts.reduce((sum, part) => sum + part.segmentCount, 0);
    createOutputLimit(options.maxOutputBytes).check(
      plannedOutputBytes({ encoding, pcm, cover }, copied.sourceSampleCount, segmentCount),
    );
    const { sourceSampleCount, sourceSampleRateHz } = copied;
    return {
      kind: 'divided',
      result: {
        outputFormat: encoding.outputFormat,
        segmentCount,
        sourceSampleCount,
        sourceSampleRateHz,
        sourceSizeBytes: spool.sizeBytes,
        parts,
      },
    };
  } catch (error) {
    runtime.signal.throwIfAborted();
    if (error instanceof CopyNotPossibleError || isUnfit(error)) return { kind: 'declined' };
    throw error;
  }

  function basisOf({ stream, tags }: ProbedSource): PartsBasis {
    return {
      encoding: encoding.name,
      pcm,
      container: sniffed.container,
      stream,
      segmentDurationSeconds,
      tags: Object.fromEntries(tags),
      cover: cover === undefined ? null : { mimeType: cover.mimeType, sizeBytes: cover.bytes.length },
    };
  }
}

/** Errors of copying a source after which a decoder may still be able to decode it. */
function isUnfit(error: unknown): boolean {
  return error instanceof MediaError && error.failure === 'UNSUPPORTED_MEDIA';
}

/** Undefined: converting the whole source will find the fault. */
async function probe(
  runtime: FfmpegRuntime,
  streaming: ReturnType<typeof createStreamingSource>,
): Promise<ProbedSource | undefined> {
  try {
    return await probeSource(runtime, streaming);
  } catch (error) {
    if (error instanceof MediaError) return undefined;
    throw error;
  }
}

/** According to the source's beginning; undefined if that does not show it. */
async function guessSeconds(
  { claimedSamples, claimedSeconds, sampleRateHz }: ProbedSource,
  { container, head }: ReturnType<typeof createStreamingSource>,
  sizeBytes: number,
): Promise<number | undefined> {
  if (claimedSamples !== undefined) return claimedSamples / sampleRateHz;
  if (claimedSeconds !== undefined || container !== 'mp3') return claimedSeconds;
  const audioStart = id3v2Bytes(await head(0, ID3_HEADER_BYTES), 0);
  const frame = readFrameHeader(await head(audioStart, 4), 0);
  if (frame === undefined) return undefined;
  return ((sizeBytes - audioStart) / frame.sizeBytes) * (frame.samplesPerFrame / sampleRateHz);
}

function pieceSeconds(sourceSeconds: number): number {
  const wanted = Math.max(PIECE_SECONDS, Math.ceil(sourceSeconds / MAX_PIECES));
  return Math.min(wanted, MAX_PIECE_SECONDS);
}
