/**
 * Segments that are encoded each by itself, several at a time, while their samples come in.
 *
 * An encoder starts as soon as the first sample of its segment is there and a core is free for it; where the
 * segment ends may turn out later. A segment that has been decoded as a whole by then is given to its encoder as a
 * file; others are passed on while they come, at the decoder's heels. Only what an m4a begins with depends on where it
 * ends (`m4a-duration.ts`): where no header tells the source's length, its encoder waits until the end is settled.
 */
import { setImmediate } from 'node:timers/promises';
import type { Borders, SegmentBounds } from '../../cuts/cut-rule.ts';
import { type PlannedSegment, refuseTooMany } from '../../cuts/plan.ts';
import { createDeferred } from '../../deferred.ts';
import { handOut, type SegmentConversion } from '../conversion.ts';
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
  /** The segment before has a reader: samples are taken in order. */
  readonly turn: Promise<void>;
  readonly endTurn: () => void;
}

interface MadeSegment {
  readonly segment: PlannedSegment;
  /** Undefined: it was not wanted. */
  readonly encoded: EncodedFile | undefined;
}

/**
 * Encodes the samples from `conversion.start` on, which is where `samples` begins, but for a lead-in that the conversion
 * is given, and hands the segments out.
 * Returns their number, those before the start included.
 */
export async function encodeSegments(
  conversion: SegmentConversion,
  borders: Borders,
  samples: AsyncIterable<Buffer>,
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
      // It is awaited by the encoder too.
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

  /** Where the segment will end, if the source's header is right; without one that tells, it is waited for. */
  async function foreseenEnd({ startSample, bounds, endSample }: StartedSegment): Promise<number> {
    const { expectedSamples } = conversion;
    if (expectedSamples !== undefined && expectedSamples > startSample) {
      return expectedSamples < bounds.settledAt ? bounds.endWithin(expectedSamples) : bounds.nominalEnd;
    }
    // The decoder does not come to the end of one that is too long to be decoded ahead.
    return 2 * wholeSegmentBytes <= maxAheadBytes ? await endSample : bounds.nominalEnd;
  }

  /** The segment as a file, where it is there as a whole. */
  async function takeFile({ startSample, bounds, endSample }: StartedSegment, leadIn: number) {
    // Only what ffmpeg encodes can be given to it.
    if (encoding.name === 'wav' || !spool.isKnown(toByte(bounds.settledAt))) return undefined;
    const end = await endSample;
    const taken = spool.takeFile(toByte(startSample), toByte(end), leadIn * blockBytes);
    return taken && { taken, sampleCount: leadIn + end - startSample };
  }

  /** Of a segment that is not wanted. */
  async function drop(segment: StartedSegment): Promise<MadeSegment> {
    await segment.turn;
    const chunks = takeChunks(segment, 0);
    segment.endTurn();
    for await (const _ of chunks);
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
    // What lies on disk is read without a pause, and has come far when the event loop turns.
    await setImmediate();
    const leadIn = encoding.name === 'm4a' ? leadInSamples((await foreseenEnd(segment)) - startSample) : 0;
    const whole = await takeFile(segment, leadIn);
    await using _taken = whole?.taken;
    const input: EncoderInput =
      whole === undefined
        ? { kind: 'chunks', chunks: reported(takeChunks(segment, leadIn)) }
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
