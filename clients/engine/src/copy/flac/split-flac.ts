/**
 * Cuts FLAC at the sample without coding it again: frames are walked, and placed in segments.
 *
 * A frame that proves damaged when it is decoded makes the copy impossible; without the audio's MD5 only frames
 * at boundaries are decoded, and damage elsewhere is passed on as it came.
 */

import { createLengthGuard } from '../../length-guard.ts';
import { unsupportedMedia } from '../../media-error.ts';
import { createEventLoopYield } from '../../source/event-loop-yield.ts';
import type { CopySplitter } from '../copy-contract.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { lookAhead } from '../source/look-ahead.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { createFramePlacer } from './frame-placer.ts';
import { readFlacHead } from './stream-head.ts';
import { walkFlac } from './walker.ts';

interface FlacSplitterOptions {
  /**
   * Whether segments state the MD5 of their audio. That takes decoding every frame, which also finds damaged
   * ones; without it, splitting is many times faster and STREAMINFO says "not known", as RFC 9639 8.2 allows.
   */
  readonly audioMd5: boolean;
}

export function createFlacSplitter({ audioMd5 }: FlacSplitterOptions): CopySplitter {
  return async (source, options) => {
    const { cut } = options;
    await using reader = openByteReader(source, options);
    // The source's own MD5 is not compared with what was decoded: every frame has proved itself by its checksum,
    // and encoders that were interrupted, or editors, leave a wrong one above sound audio.
    const head = await readFlacHead(reader, options.withoutTags ? 0 : cut.maxTagBytes);
    const { sampleRateHz } = head;
    await using segments = createSegmentSequence(options, {
      extension: 'flac',
      contentType: 'audio/flac',
      sampleRateHz,
    });
    const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
    const placer = createFramePlacer({
      cut,
      head,
      segments,
      hasAudioMd5: audioMd5,
      tagsOf: (index) => tagsAt(options, index),
    });
    // A few bytes may hold 65,535 samples, all of which are decoded.
    const yieldIfDue = createEventLoopYield();
    let arrivedSampleCount = 0;
    let placedEnd = reader.position;
    const batches = lookAhead(walkFlac(reader, head), cut.minRemainderSamples(sampleRateHz));
    for await (const { frames, totalSampleCount } of batches) {
      for (const frame of frames) {
        arrivedSampleCount += frame.sampleCount;
        guardLength(arrivedSampleCount);
        const placed = placer.place(frame, totalSampleCount ?? Number.POSITIVE_INFINITY);
        if (placed !== undefined) await placed;
        const turn = yieldIfDue();
        if (turn !== undefined) await turn;
        placedEnd += frame.end - frame.start;
      }
      placer.flush();
      reader.releaseBefore(placedEnd);
    }
    if (arrivedSampleCount === 0) throw unsupportedMedia('The FLAC stream holds no frames.');
    await placer.finish();
    return await segments.result(reader.position);
  };
}
