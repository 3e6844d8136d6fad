/**
 * Cuts FLAC exact to the sample without encoding it again: frames are walked and placed into segments.
 *
 * A frame that turns out to be damaged when it is decoded makes the copy impossible. Without the audio's MD5
 * only frames at boundaries are decoded, and damage elsewhere is passed on unchanged.
 */

import { nextWantedStart } from '../../cuts/cut-rule.ts';
import { createLengthGuard } from '../../length-guard.ts';
import { unsupportedMedia } from '../../media-error.ts';
import { createEventLoopYield } from '../../source/event-loop-yield.ts';
import type { CopySplitter } from '../copy-contract.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { lookAhead } from '../source/look-ahead.ts';
import type { SourcePlace } from '../source/place-search.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { createFramePlacer } from './frame-placer.ts';
import { createFrameSearch } from './frame-search.ts';
import { readFlacHead } from './stream-head.ts';
import { walkFlac } from './walker.ts';

interface FlacSplitterOptions {
  /**
   * Whether segments state the MD5 of their audio. Every frame must be decoded for that, which also detects
   * damaged ones. Without it, splitting is many times faster and STREAMINFO says "not known", as RFC 9639 8.2
   * allows.
   */
  readonly audioMd5: boolean;
}

export function createFlacSplitter({ audioMd5 }: FlacSplitterOptions): CopySplitter {
  return async (source, options) => {
    const { cut } = options;
    await using reader = openByteReader(source, options);
    // The source's own MD5 is not compared with the decoded audio: each frame's checksum has been verified,
    // and interrupted encoders, and editors, leave a wrong MD5 with intact audio.
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
    // A few bytes may represent 65,535 samples, all of which are decoded.
    const yieldIfDue = createEventLoopYield();
    let arrivedSampleCount = 0;
    let placedEnd = reader.position;
    const search = options.sparseFile && createFrameSearch(options.sparseFile, head, { start: placedEnd });

    /**
     * Walks to the end of the source, or to where frames may be skipped; returns the frame to continue with.
     */
    async function walk(): Promise<SourcePlace | undefined> {
      const before = arrivedSampleCount;
      const batches = lookAhead(walkFlac(reader, head), cut.minRemainderSamples(sampleRateHz));
      for await (const { frames, totalSampleCount = Number.POSITIVE_INFINITY } of batches) {
        for (const frame of frames) {
          arrivedSampleCount += frame.sampleCount;
          guardLength(arrivedSampleCount);
          const placed = placer.place(frame, before + totalSampleCount);
          if (placed !== undefined) await placed;
          const turn = yieldIfDue();
          if (turn !== undefined) await turn;
          placedEnd += frame.end - frame.start;
        }
        placer.flush();
        reader.releaseBefore(placedEnd);
        const next = await nextNeeded();
        if (next !== undefined) return next;
      }
      return undefined;
    }

    async function nextNeeded(): Promise<SourcePlace | undefined> {
      if (search === undefined || !placer.canPass) return undefined;
      const wantedFrom = nextWantedStart(cut, sampleRateHz, segments.finishedCount);
      if (wantedFrom === undefined) return undefined;
      const found = await search.before(wantedFrom, { position: placedEnd, sample: arrivedSampleCount });
      return found !== undefined && found.position > reader.position ? found : undefined;
    }

    for (let next = await walk(); next !== undefined; next = await walk()) {
      placer.pass(next.sample - arrivedSampleCount);
      arrivedSampleCount = next.sample;
      placedEnd = next.position;
      await reader.skip(next.position - reader.position);
      reader.releaseBefore(placedEnd);
    }
    if (arrivedSampleCount === 0) throw unsupportedMedia('The FLAC stream holds no frames.');
    await placer.finish();
    return await segments.result(reader.position);
  };
}
