/**
 * Encodes each segment on its own, several at a time, while their samples arrive.
 *
 * An encoder starts as soon as the first sample of its segment is available and a core is free; the end of
 * the segment may become known later. A segment that is completely decoded by then is given to its encoder as
 * a file; others are passed on as they arrive, right after the decoder. Only the beginning of an m4a depends
 * on its end (`m4a-duration.ts`): if no header states the source's length, its encoder waits until the end is
 * known.
 */
import { setImmediate } from 'node:timers/promises';
import type { Borders, SegmentBounds } from '../../cuts/cut-rule.ts';
import { type PlannedSegment, refuseTooMany } from '../../cuts/plan.ts';
import { createDeferred } from '../../deferred.ts';
import { freeChunk } from '../../source/free-chunk.ts';
import { handOut, type SampleChunks, type SegmentConversion } from '../conversion.ts';
import { createPcmSpool } from '../samples/pcm-spool.ts';
import { frameBytes } from '../samples/wav-header.ts';
import { segmentTags } from '../tags/tags.ts';
import { leadInSamples, MAX_LEAD_IN_SAMPLES } from '../trim/m4a-duration.ts';
import { type EncodedFile, type EncoderInput, encodeSegment } from './encode.ts';
import { runOrdered } from './ordered-pool.ts';
import { usableCores } from './usable-cores.ts';

interface StartedSegment {
  readonly index: number;
  readonly startSample: number;
  readonly bounds: SegmentBounds;
  readonly endSample: Promise<number>;
  /** The previous segment has a reader: samples are taken in order. */
  readonly turn: Promise<void>;
  readonly endTurn: () => void;
}

interface MadeSegment {
  readonly segment: PlannedSegment;
  /** Undefined: it was not wanted. */
  readonly encoded: EncodedFile | undefined;
}

/**
 * Encodes the samples from `conversion.start` on and hands the segments out. `samples` begins there, or
 * earlier by the lead-in of the conversion. Returns the number of segments, including those before the start.
 */
export async function encodeSegments(
  conversion: SegmentConversion,
  borders: Borders,
  samples: SampleChunks,
): Promise<number> {
  const { options, encoding, pcm, probed, start } = conversion;
  const { choice } = options.cut;
  const blockBytes = frameBytes(pcm);
  const { leadInSamples: givenLeadIn = 0 } = conversion;
  const firstSample = start.startSample - givenLeadIn;
  const toByte = (sample: number): number => (sample - firstSample) * blockBytes;
  const workers = usableCores();
  const wholeSegmentBytes = borders.longestSegmentSamples * blockBytes;
  const { maxAheadBytes, partFileBytes, backlog } = conversion.workingSet;
  const maxLeadInBytes = encoding.name === 'm4a' ? MAX_LEAD_IN_SAMPLES * blockBytes : 0;
  await using spool = createPcmSpool(samples, options.runtime.workDir, {
    maxAheadBytes,
    maxLeadInBytes,
    fileEnd(startByte) {
      if (partFileBytes !== undefined) return startByte + partFileBytes;
      const startSample = firstSample + startByte / blockBytes;
      return toByte(
        startSample < start.startSample ? start.startSample : borders.boundsFrom(startSample).nominalEnd,
      );
    },
  });
  let segmentCount = start.index;
  let turn = Promise.resolve();

  async function settledEnd(bounds: SegmentBounds): Promise<number> {
    if (await spool.reaches(toByte(bounds.settledAt))) return bounds.nominalEnd;
    return bounds.endWithin(firstSample + (spool.totalBytes ?? 0) / blockBytes);
  }

  async function* started(): AsyncGenerator<StartedSegment> {
    for (let { startSample } = start; await spool.reaches(toByte(startSample + 1)); segmentCount += 1) {
      if (choice === undefined) refuseTooMany(segmentCount + 1);
      else if (segmentCount > choice.lastIndex) return;
      const bounds = borders.boundsFrom(startSample);
      const endSample = settledEnd(bounds);
      // The encoder awaits it too.
      endSample.catch(() => undefined);
      const { promise: ended, resolve: endTurn } = createDeferred();
      yield { index: segmentCount, startSample, bounds, endSample, turn, endTurn };
      turn = ended;
      startSample = await endSample;
    }
  }

  async function* reported(taken: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of taken) {
      yield chunk;
      conversion.progress.encoded(firstSample + spool.consumedBytes / blockBytes);
    }
  }

  /**
   * The expected end of the segment if the source's header is right; without such a header, waits for the
   * end.
   */
  async function foreseenEnd({ startSample, bounds, endSample }: StartedSegment): Promise<number> {
    const { expectedSamples } = conversion;
    if (expectedSamples !== undefined && expectedSamples > startSample) {
      return expectedSamples < bounds.settledAt ? bounds.endWithin(expectedSamples) : bounds.nominalEnd;
    }
    // The decoder does not reach the end of a segment that is too long to be decoded ahead.
    return 2 * wholeSegmentBytes <= maxAheadBytes ? await endSample : bounds.nominalEnd;
  }

  /** The segment as a file, if it is completely available. */
  async function takeFile({ startSample, bounds, endSample }: StartedSegment, leadIn: number) {
    // Only ffmpeg can take a file.
    if (encoding.name === 'wav' || !spool.isKnown(toByte(bounds.settledAt))) return undefined;
    const end = await endSample;
    const taken = spool.takeFile(toByte(startSample), toByte(end), leadIn * blockBytes);
    return taken && { taken, sampleCount: leadIn + end - startSample };
  }

  /** For a segment that is not wanted. */
  async function drop(segment: StartedSegment): Promise<MadeSegment> {
    await segment.turn;
    const chunks = takeChunks(segment, 0);
    segment.endTurn();
    for await (const chunk of chunks) freeChunk(chunk);
    const { index, startSample, endSample } = segment;
    return {
      segment: { index, startSample, sampleCount: (await endSample) - startSample },
      encoded: undefined,
    };
  }

  async function make(segment: StartedSegment, free: () => void): Promise<MadeSegment> {
    try {
      return choice?.isWanted(segment.index) === false ? await drop(segment) : await encode(segment, free);
    } finally {
      segment.endTurn();
    }
  }

  async function encode(segment: StartedSegment, free: () => void): Promise<MadeSegment> {
    const { index, startSample, bounds, endSample } = segment;
    // A file on disk is read without pauses, so the reader is far ahead when the event loop turns.
    await setImmediate();
    const leadIn = encoding.name === 'm4a' ? leadInSamples((await foreseenEnd(segment)) - startSample) : 0;
    const whole = await takeFile(segment, leadIn);
    await using _taken = whole?.taken;
    const input: EncoderInput =
      whole === undefined
        ? { kind: 'chunks', chunks: reported(takeChunks(segment, leadIn)), free: freeChunk }
        : { kind: 'pcm-file', file: whole.taken.file, sampleCount: whole.sampleCount };
    segment.endTurn();
    const encoded = await encodeSegment(
      options.runtime,
      {
        encoding,
        pcm,
        input,
        ...(whole && {
          onEncoded: (count) => conversion.progress.encoded(startSample + Math.min(count, whole.sampleCount)),
        }),
        leadIn,
        mostSamples: bounds.latestEnd - startSample,
        tags: segmentTags(probed.tags, index, options.tagsOf),
        cover: conversion.cover,
        onEncoderEnd: free,
      },
      `encoding-${index}.${encoding.extension}`,
    );
    const sampleCount = (await endSample) - startSample;
    if (encoded.sampleCount !== sampleCount)
      throw new Error(`segment ${index} got ${encoded.sampleCount} samples instead of ${sampleCount}`);
    return { segment: { index, startSample, sampleCount }, encoded };
  }

  function takeChunks({ startSample, bounds, endSample }: StartedSegment, leadIn: number) {
    return spool.take(
      toByte(startSample),
      toByte(bounds.surelyUpTo),
      endSample.then(toByte),
      leadIn * blockBytes,
    );
  }

  await runOrdered<StartedSegment, MadeSegment>(started(), {
    workers,
    backlog,
    work: make,
    async deliver({ segment, encoded }) {
      if (encoded !== undefined) await handOut(conversion, segment, encoded.path, encoded.sizeBytes);
    },
    onFailure: options.stop,
  });
  return segmentCount;
}
