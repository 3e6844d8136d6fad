/**
 * Prepares a long conversion for several splitters: probes the source and cuts it, while it comes in, into pieces that
 * each can decode by itself.
 *
 * Only where that gives the very segments which converting the whole would give: sources whose copies decode to the same
 * samples (mp3, wav, flac), cuts that are known beforehand (by duration: under a byte ceiling a segment begins where the
 * one before was full), and no change of the sample rate (a resampler carries its state along). Copying costs less than a
 * hundredth of the encoding; where the source turns out not to allow it, it is converted whole after all.
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

/** Every piece is decoded by a process of its own, and up to two of them for the sake of a few samples. */
const PIECE_SECONDS = 60;
/** Longer sources get longer pieces: a splitter gives no more than 10,000 files. */
const MAX_PIECES = 5_000;
/** Whatever length a header claims: a part reads whole pieces. */
const MAX_PIECE_SECONDS = 300;
/** One piece is stored while the next is written. */
const PIECES_ROOM_BYTES = 256 * 1024 * 1024;
/** Of the job; the rest is the parts'. */
const PREPARING_END = 0.1;
const ID3_HEADER_BYTES = 10;

const CONTAINERS = ['mp3', 'wav', 'flac'] as const satisfies readonly CopyContainer[];

export type DivisionOutcome =
  | { readonly kind: 'divided'; readonly result: SplitResult }
  /** Nothing was handed out; the source can be read from its first byte. */
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
  /** Whether the spool has to keep the source, as there is no other way back to its beginning. */
  readonly isKept: boolean;
  readonly progress: Progress;
  readonly stop: (reason: unknown) => void;
}

/** To be called where `mayDivide`. Throws `MediaError` where the source is at fault, or is longer than allowed. */
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

/** What the copying of a source ends with that a decoder may still make something of. */
function isUnfit(error: unknown): boolean {
  return error instanceof MediaError && error.failure === 'UNSUPPORTED_MEDIA';
}

/** undefined: converting the whole source finds out what is wrong. */
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

/** By what the source's beginning says; undefined where it says nothing. */
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
