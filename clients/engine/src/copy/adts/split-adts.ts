import { createLengthGuard } from '../../length-guard.ts';
import { segmentLimitUnreachable, unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError, type CopyOptions, type CopyResult } from '../copy-contract.ts';
import { type FrameRun, frameCount, frameOffset, framesBetween, lookAheadRuns } from '../frames/frame-run.ts';
import { type FrameSyntax, findFirstFrame, walkFrames } from '../frames/frame-sync.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { readLeadingTag } from '../tags/id3v2.ts';
import {
  type AdtsFrameHeader,
  BLOCK_SAMPLES,
  createFrameMatcher,
  HEADER_BYTES,
  MAX_FRAME_BYTES,
  readFrameHeader,
} from './frame-header.ts';

export const ADTS_SYNTAX: FrameSyntax<AdtsFrameHeader> = {
  name: 'ADTS',
  headerBytes: HEADER_BYTES,
  maxFrameBytes: MAX_FRAME_BYTES,
  readHeader: readFrameHeader,
  belongTogether: (a, b) => a.format === b.format,
  createMatcher: createFrameMatcher,
};

/**
 * Cuts raw AAC between frames; by duration, where a frame begins nearest to each boundary. Every frame goes
 * into exactly one segment, unchanged. The container cannot declare a preroll, so a decoder that starts at a
 * seam gets the first frame without the overlap of the previous one; joined segments are the source again.
 * For the same reason the encoder's delay is unknown and counts as audible.
 */
export async function splitAdts(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  await readLeadingTag(reader, 0);
  const first = await findFirstFrame(reader, ADTS_SYNTAX);
  if (first === undefined) throw unsupportedMedia('The source holds no AAC frames.');
  const { sampleRateHz, channelConfiguration } = first.header;
  // Without this, only the first frame might define the channels, and every later segment would lack the
  // definition.
  if (channelConfiguration === 0) throw new CopyNotPossibleError('the ADTS headers do not tell the channels');
  await using segments = createSegmentSequence(options, {
    extension: 'aac',
    contentType: 'audio/aac',
    sampleRateHz,
  });

  const limitBytes = cut.maxSegmentBytes;
  const minRemainder = cut.minRemainderSamples(sampleRateHz);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  let file = segments.open();
  let boundary = cut.endSample(sampleRateHz, 0);
  let sampleCount = 0;

  async function place(run: FrameRun, totalSampleCount: number): Promise<void> {
    const { samplesPerFrame } = run;
    // Decoders play only the first block, or none, so the duration of such a stream depends on the decoder.
    if (samplesPerFrame !== BLOCK_SAMPLES) throw new CopyNotPossibleError('several blocks in an ADTS frame');
    let from = 0;
    for (let index = 0; index < frameCount(run); index++) {
      const frameBytes = frameOffset(run, index + 1) - frameOffset(run, index);
      if (frameBytes > limitBytes) throw segmentLimitUnreachable();
      const frameStart = segments.finishedSampleCount + sampleCount;
      const isNearest = boundary <= frameStart + samplesPerFrame / 2;
      const isFull = file.sizeBytes + frameOffset(run, index + 1) - frameOffset(run, from) > limitBytes;
      if (sampleCount > 0 && (isFull || (isNearest && totalSampleCount - boundary >= minRemainder))) {
        file.append(framesBetween(run, from, index));
        from = index;
        await segments.finish(sampleCount);
        file = segments.open();
        boundary = cut.endSample(sampleRateHz, segments.finishedCount);
        sampleCount = 0;
      }
      sampleCount += samplesPerFrame;
      guardLength(segments.finishedSampleCount + sampleCount);
    }
    file.append(framesBetween(run, from, frameCount(run)));
  }

  for await (const { runs, totalSampleCount, heldStart } of lookAheadRuns(
    walkFrames(reader, ADTS_SYNTAX, first),
    minRemainder,
  )) {
    for (const run of runs) await place(run, totalSampleCount ?? Number.POSITIVE_INFINITY);
    file.flush();
    reader.releaseBefore(heldStart);
  }
  await segments.finish(sampleCount);
  return await segments.result(reader.position);
}
