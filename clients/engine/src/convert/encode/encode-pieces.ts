/**
 * Encodes segments from pieces of a source on this machine.
 *
 * The copying splitters (`copy/`) cut the source without loss where the segments begin and end, and each
 * encoder decodes its own piece: no sample passes through this process. ffmpeg reports how many samples it
 * encoded. If a piece does not give all its samples (the source is damaged), or the source cannot be cut
 * further, the segments before that are kept and the rest is encoded like all other sources
 * (`encode-segments.ts`).
 *
 * Sources that still arrive are not encoded in this way: an encoder would have to wait until its piece is
 * complete.
 */
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { CopyNotPossibleError, type CopySplitter } from '../../copy/copy-contract.ts';
import { createFlacSplitter } from '../../copy/flac/split-flac.ts';
import { createMp3Splitter } from '../../copy/mp3/split-mp3.ts';
import { LastSegmentReached } from '../../copy/segments/segment-sequence.ts';
import type { PlannedSegment } from '../../cuts/plan.ts';
import { FfmpegError } from '../../ffmpeg/run.ts';
import type { SourceContainer } from '../../formats/formats.ts';
import type { FinishedSegment } from '../../media.ts';
import { MediaError } from '../../media-error.ts';
import { createLocalFileReader, type LocalFile } from '../../source/local-file.ts';
import { type Conversion, handOut } from '../conversion.ts';
import { segmentTags } from '../tags/tags.ts';
import { leadInSamples } from '../trim/m4a-duration.ts';
import { type EncodedFile, encodeSegment, PieceDecodeError } from './encode.ts';
import { runOrdered } from './ordered-pool.ts';
import { usableCores } from './usable-cores.ts';

interface Pieces {
  readonly container: SourceContainer;
  readonly file: LocalFile;
  readonly split: CopySplitter;
}

type PiecesOutcome =
  | { readonly kind: 'done'; readonly segmentCount: number; readonly sourceSampleCount: number }
  /** Nothing from here on has been handed out. */
  | { readonly kind: 'declined'; readonly resumeAt: Conversion['start'] };

/** How the source is cut into pieces; undefined if that is impossible. */
export function piecesFor({
  options,
  probed,
  encoding,
  pcm,
}: Omit<Conversion, 'expectedSamples' | 'progress' | 'workingSet'>): Pieces | undefined {
  const { incoming, cut, resumeAt } = options;
  const { file, sniffed } = incoming;
  // A resampler would start again with every piece. WAV output is written by this process.
  if (file === undefined || resumeAt !== undefined || !cut.isTimed) return undefined;
  if (pcm.sampleRateHz !== probed.sampleRateHz || encoding.name === 'wav') return undefined;
  const leadIn = encoding.name === 'm4a' ? leadInSamples : undefined;
  if (sniffed.container === 'mp3') return { container: 'mp3', file, split: createMp3Splitter({ leadIn }) };
  if (sniffed.container === 'flac' && leadIn === undefined)
    return { container: 'flac', file, split: createFlacSplitter({ audioMd5: false }) };
  return undefined;
}

const FOLDER = 'pieces';

/** Cuts the source from its beginning and hands its segments out. All children have ended when it settles. */
export async function encodePieces(
  conversion: Conversion,
  pieces: Pieces,
  /** Called with the minimum length of the source known so far. */
  onLength: (samples: number) => Promise<void> | undefined,
): Promise<PiecesOutcome> {
  const { options, encoding, pcm, probed } = conversion;
  const { runtime } = options;
  const workers = usableCores();
  const folder = join(runtime.workDir, FOLDER);
  await mkdir(folder);
  const corrupt = new AbortController();
  const queue = new PassThrough({ objectMode: true, highWaterMark: workers });
  // The queue's writer and reader get the error too.
  queue.on('error', () => undefined);
  let next = { index: 0, startSample: 0 };

  async function cut(): Promise<number | undefined> {
    const { chunks, memory } = createLocalFileReader(pieces.file);
    const signal = AbortSignal.any([runtime.signal, corrupt.signal]);
    try {
      const { sourceSampleCount } = await pieces.split(chunks(), {
        // The ceiling applies to the encoded files.
        cut: { ...options.cut, maxSegmentBytes: Number.POSITIVE_INFINITY },
        outputDir: folder,
        withoutTags: true,
        signal,
        ...(options.maxSourceDurationMs === undefined
          ? {}
          : { maxSourceDurationMs: options.maxSourceDurationMs }),
        onSegment: async (piece) => {
          await onLength(piece.startSample + piece.sampleCount);
          if (!queue.write(piece)) await once(queue, 'drain', { signal });
        },
        onBytes: () => undefined,
        ...(pieces.file.absent === undefined ? {} : { sparseFile: pieces.file }),
        memory,
      });
      queue.end();
      return sourceSampleCount;
    } catch (error) {
      if (error instanceof LastSegmentReached) {
        queue.end();
        // Unknown, because the rest was not read.
        return Number.NaN;
      }
      if (!corrupt.signal.aborted && !isDeclined(error)) {
        queue.destroy(
          error instanceof Error ? error : new Error('the source cannot be cut', { cause: error }),
        );
        throw error;
      }
      queue.end();
      return undefined;
    }
  }

  async function encode(piece: FinishedSegment, free: () => void): Promise<EncodedPiece> {
    const { index, startSample, sampleCount } = piece;
    const segment = { index, startSample, sampleCount };
    const leadIn = encoding.name === 'm4a' ? leadInSamples(sampleCount) : 0;
    try {
      const encoded = await encodeSegment(
        runtime,
        {
          encoding,
          pcm,
          input: {
            kind: 'piece',
            piece: { container: pieces.container, name: piece.path.slice(runtime.workDir.length + 1) },
            sampleCount: leadIn + sampleCount,
          },
          onEncoded: (samples) => conversion.progress.encoded(startSample + Math.min(samples, sampleCount)),
          leadIn,
          mostSamples: sampleCount,
          tags: segmentTags(probed.tags, index, options.tagsOf),
          cover: conversion.cover,
          onEncoderEnd: free,
        },
        `encoding-${index}.${encoding.extension}`,
      );
      return { segment, encoded };
    } catch (error) {
      if (runtime.signal.aborted || !isCorrupt(error)) throw error;
      return { segment, encoded: undefined };
    } finally {
      await rm(piece.path, { force: true });
    }
  }

  async function deliver({ segment, encoded }: EncodedPiece): Promise<void> {
    if (encoded === undefined) corrupt.abort();
    else if (corrupt.signal.aborted) await rm(encoded.path, { force: true });
    else {
      await handOut(conversion, segment, encoded.path, encoded.sizeBytes);
      next = { index: segment.index + 1, startSample: segment.startSample + segment.sampleCount };
    }
  }

  const cutting = cut();
  // It is awaited after the pieces have ended.
  cutting.catch(() => undefined);
  try {
    await runOrdered<FinishedSegment, EncodedPiece>(queue, {
      workers,
      backlog: conversion.workingSet.backlog,
      work: encode,
      deliver,
      onFailure: options.stop,
    });
  } finally {
    await cutting.catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
  const sourceSampleCount = await cutting;
  return sourceSampleCount === undefined || corrupt.signal.aborted
    ? { kind: 'declined', resumeAt: next }
    : { kind: 'done', segmentCount: next.index, sourceSampleCount };
}

interface EncodedPiece {
  readonly segment: PlannedSegment;
  /** undefined: the piece was corrupt. */
  readonly encoded: EncodedFile | undefined;
}

/** The decoder may still be able to decode part of it. */
function isDeclined(error: unknown): boolean {
  return (
    error instanceof CopyNotPossibleError ||
    (error instanceof MediaError && error.failure === 'UNSUPPORTED_MEDIA')
  );
}

function isCorrupt(error: unknown): boolean {
  return error instanceof PieceDecodeError || error instanceof FfmpegError;
}
