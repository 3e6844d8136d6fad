import { type Frames, frameOffset, framesBetween } from '../frames/frame-run.ts';
import type { SegmentFile } from '../segments/segment-file.ts';
import type { BitReservoir } from './bit-reservoir.ts';
import { createSilentFrame, readBitrateIndex } from './frame-header.ts';
import { createInfoFrame, DECODER_DELAY_SAMPLES, reserveInfoFrame } from './info-frame.ts';
import { createSeekTable } from './seek-table.ts';
import type { Mp3Head } from './walker.ts';

/**
 * Writes one mp3 that decodes to exactly the samples of the source, from its first audible sample to its
 * last.
 *
 * File: ID3v2 tag, info frame, carrier, preroll frames, frames. The preroll refills the decoder's overlap and
 * synthesis history: one MPEG-1 frame (two granules), or two frames of one granule each in MPEG-2 and 2.5.
 * The carrier is a silent frame whose tail holds the bytes to which the first preroll frame refers back.
 * Everything before the first audible sample is declared as encoder delay, everything after the last as
 * padding. If the file may also have to play a lead-in, as many more frames as the lead-in may need are
 * stored at the beginning.
 *
 * Positions are raw: counted from the first sample of the source's first audio frame.
 */
export interface Mp3SegmentWriter {
  readonly sizeBytes: number;
  /** Frames [from, to) of the run. */
  append(run: Frames, from: number, to: number): void;
  /** Counts frames without data, in a segment without a file. */
  pass(frameCount: number): void;
  flush(): void;
  /**
   * Completes the info frame for a segment that ends before raw sample `endSample` and first plays `leadIn`
   * samples before its start.
   */
  complete(endSample: number, leadIn: number): void;
}

interface Mp3SegmentStart {
  readonly startSample: number;
  /** Frames of the source before the next one appended. */
  readonly frameIndex: number;
  /**
   * The maximum number of samples before the first one that may have to be played too: at most
   * `MAX_LEAD_IN_SAMPLES`.
   */
  readonly maxLeadIn: number;
}

/** What fits into the delay's 12 bits together with everything else before the start. */
export const MAX_LEAD_IN_SAMPLES = 1_152;

/** Call it once the tag is appended. */
export function startMp3Segment(
  file: SegmentFile,
  { header, info }: Pick<Mp3Head, 'header' | 'info'>,
  reservoir: BitReservoir,
  start: Mp3SegmentStart,
): Mp3SegmentWriter {
  const { samplesPerFrame } = header;
  const seekTable = createSeekTable();
  let frameCount = 0;
  let minBitrateIndex = Number.POSITIVE_INFINITY;
  let maxBitrateIndex = 0;

  const infoAt = file.sizeBytes;
  file.append(reserveInfoFrame(header));

  function appendFrame(frame: Buffer): void {
    seekTable.note(frameCount, file.sizeBytes - infoAt);
    file.append(frame);
    frameCount += 1;
  }

  function append(run: Frames, from: number, to: number): void {
    const firstAt = frameOffset(run, from);
    const audioBytes = file.sizeBytes - infoAt;
    for (let index = from; index < to; index++) {
      const at = frameOffset(run, index);
      const bitrateIndex = readBitrateIndex(run.window, at);
      minBitrateIndex = Math.min(minBitrateIndex, bitrateIndex);
      maxBitrateIndex = Math.max(maxBitrateIndex, bitrateIndex);
      seekTable.note(frameCount, audioBytes + at - firstAt);
      frameCount += 1;
    }
    file.append(framesBetween(run, from, to));
  }

  if (start.frameIndex === 0) {
    // Decoders skip at least their own delay in a file with an info frame, so a source without one needs room
    // for it.
    const neededSamples = DECODER_DELAY_SAMPLES + start.maxLeadIn - start.startSample;
    for (let room = 0; room < neededSamples; room += samplesPerFrame)
      appendFrame(createSilentFrame(header, 0));
  } else {
    const leadInFrames = Math.ceil(start.maxLeadIn / samplesPerFrame);
    const { frames, backReference } = reservoir.tail((samplesPerFrame === 1152 ? 1 : 2) + leadInFrames);
    if (backReference.length > 0) {
      const carrier = createSilentFrame(header, backReference.length);
      backReference.copy(carrier, carrier.length - backReference.length);
      appendFrame(carrier);
    }
    for (const window of frames) append({ window, offsets: [0, window.length], samplesPerFrame }, 0, 1);
  }
  const firstSample = (start.frameIndex - frameCount) * samplesPerFrame;

  return {
    get sizeBytes() {
      return file.sizeBytes;
    },
    append,
    pass(passedFrames) {
      frameCount += passedFrames;
    },
    flush: () => file.flush(),
    complete(endSample, leadIn) {
      const skippedSamples = start.startSample - leadIn - firstSample;
      const discardedSamples = firstSample + frameCount * samplesPerFrame - endSample;
      const ownInfo = createInfoFrame(header, info?.lameTag, {
        isVariableBitrate: minBitrateIndex !== maxBitrateIndex,
        frameCount,
        audioBytes: file.sizeBytes - infoAt,
        delaySamples: skippedSamples - DECODER_DELAY_SAMPLES,
        paddingSamples: discardedSamples + DECODER_DELAY_SAMPLES,
        seekPoints: seekTable.points,
      });
      file.overwrite(infoAt, ownInfo);
    },
  };
}
