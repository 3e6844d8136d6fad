/**
 * Segments that are encoded each by itself, several at a time, while their samples come in.
 *
 * An encoder starts as soon as the first sample of its segment is there and a core is free for it; where the
 * segment ends may turn out later. Encoders of later segments read what has been decoded ahead, from disk; the
 * first one in the row reads at the decoder's heels. Only what an m4a begins with depends on where it ends
 * (`m4a-duration.ts`): where no header tells the source's length, its encoder waits until the end is settled.
 */
import { boundsFrom, type CutRule, type PlannedSegment, refuseTooMany, type SegmentBounds } from '../plan.ts';
import { type Conversion, handOut } from './conversion.ts';
import { type EncodedFile, encodeSegment } from './encode.ts';
import { leadInSamples, MAX_LEAD_IN_SAMPLES } from './m4a-duration.ts';
import { runOrdered } from './ordered-pool.ts';
import { createPcmSpool } from './pcm-spool.ts';
import { segmentTags } from './tags.ts';
import { usableCores } from './usable-cores.ts';
import { frameBytes } from './wav-header.ts';

/** Of samples on disk that no encoder has taken yet. Longer segments are encoded one after the other. */
const MAX_AHEAD_BYTES = 1024 * 1024 * 1024;
/** Finished segments that wait to be handed out keep no core from working on the next ones. */
const BACKLOG_PER_WORKER = 3;

interface StartedSegment {
  readonly index: number;
  readonly startSample: number;
  readonly bounds: SegmentBounds;
  readonly endSample: Promise<number>;
}

/**
 * Encodes the samples from `conversion.start` on, which is where `samples` begins, and hands the segments out.
 * Returns their number, those before the start included.
 */
export async function encodeSegments(
  conversion: Conversion,
  rule: CutRule,
  samples: AsyncIterable<Buffer>,
): Promise<number> {
  const { options, encoding, pcm, probed, start } = conversion;
  const blockBytes = frameBytes(pcm);
  const toByte = (sample: number): number => (sample - start.startSample) * blockBytes;
  const workers = usableCores();
  const wholeSegmentBytes = boundsFrom(rule, 0).settledAt * blockBytes;
  const maxAheadBytes = Math.min(MAX_AHEAD_BYTES, (workers + 1) * wholeSegmentBytes);
  const maxLeadInBytes = MAX_LEAD_IN_SAMPLES * blockBytes;
  // How many samples a resampler gives is not arithmetic's to say.
  const foreseenSamples = pcm.sampleRateHz === probed.sampleRateHz ? conversion.expectedSamples : undefined;
  await using spool = createPcmSpool(samples, options.runtime.workDir, { maxAheadBytes, maxLeadInBytes });
  let segmentCount = start.index;

  async function settledEnd(bounds: SegmentBounds): Promise<number> {
    if (await spool.reaches(toByte(bounds.settledAt))) return bounds.nominalEnd;
    return bounds.endWithin(start.startSample + (spool.totalBytes ?? 0) / blockBytes);
  }

  async function* started(): AsyncGenerator<StartedSegment> {
    for (let { startSample } = start; await spool.reaches(toByte(startSample + 1)); segmentCount += 1) {
      refuseTooMany(segmentCount + 1);
      const bounds = boundsFrom(rule, startSample);
      const endSample = settledEnd(bounds);
      // It is awaited by the encoder too.
      endSample.catch(() => undefined);
      yield { index: segmentCount, startSample, bounds, endSample };
      startSample = await endSample;
    }
  }

  async function* reported(silentBytes: number, taken: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    if (silentBytes > 0) yield Buffer.alloc(silentBytes);
    for await (const chunk of taken) {
      yield chunk;
      conversion.progress.encoded(start.startSample + spool.consumedBytes / blockBytes);
    }
  }

  /** Where the segment will end, if the source's header is right; without one that tells, it is waited for. */
  async function foreseenEnd({ startSample, bounds, endSample }: StartedSegment): Promise<number> {
    if (foreseenSamples !== undefined && foreseenSamples > startSample) {
      return foreseenSamples < bounds.settledAt ? bounds.endWithin(foreseenSamples) : bounds.nominalEnd;
    }
    // The decoder does not come to the end of one that is too long to be decoded ahead.
    return 2 * wholeSegmentBytes <= maxAheadBytes ? await endSample : bounds.nominalEnd;
  }

  async function encode(segment: StartedSegment) {
    const { index, startSample, bounds, endSample } = segment;
    const leadIn = encoding.name === 'm4a' ? leadInSamples((await foreseenEnd(segment)) - startSample) : 0;
    // In front of the first segment there is nothing but silence.
    const atHand = Math.min(leadIn, startSample - start.startSample);
    const taken = spool.take(
      toByte(startSample),
      toByte(bounds.surelyUpTo),
      endSample.then(toByte),
      atHand * blockBytes,
    );
    const encoded = await encodeSegment(
      options.runtime,
      {
        encoding,
        pcm,
        samples: reported((leadIn - atHand) * blockBytes, taken),
        leadIn,
        mostSamples: bounds.latestEnd - startSample,
        tags: segmentTags(probed.tags, index),
        cover: conversion.cover,
      },
      `encoding-${index}.${encoding.extension}`,
    );
    const sampleCount = (await endSample) - startSample;
    if (encoded.sampleCount !== sampleCount)
      throw new Error(`segment ${index} got ${encoded.sampleCount} samples instead of ${sampleCount}`);
    return { segment: { index, startSample, sampleCount }, encoded };
  }

  await runOrdered<StartedSegment, { readonly segment: PlannedSegment; readonly encoded: EncodedFile }>(
    started(),
    {
      workers,
      backlog: workers * BACKLOG_PER_WORKER,
      work: encode,
      deliver: ({ segment, encoded }) => handOut(conversion, segment, encoded.path, encoded.sizeBytes),
      onFailure: options.stop,
    },
  );
  return segmentCount;
}
