import { createLengthGuard } from '../../length-guard.ts';
import { CopyNotPossibleError, type CopyOptions, type CopyResult } from '../copy-contract.ts';
import { frameCount, framesBetween } from '../frames/frame-run.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { type AudioTrack, readAudioTrack } from './audio-track.ts';
import { findEntryFrame, maxEntryDistance } from './entry-frame.ts';
import { createFrameHistory } from './frame-history.ts';
import { readFrames } from './frame-reader.ts';
import { locateMovie } from './locate-movie.ts';
import { createTags } from './metadata.ts';
import { createSegmentMovie, maxEmptyMovieBytes } from './segment-movie.ts';
import { planSpans } from './segment-plan.ts';

/**
 * Cuts AAC of any kind in MP4 by duration exact to the sample, by size between frames; other tracks are
 * omitted.
 */
export async function splitM4a(source: AsyncIterable<Uint8Array>, options: CopyOptions): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  await using movie = await locateMovie(reader, options);
  const track = readAudioTrack(movie.moov);
  // The tables may be wrong, but then a frame is missing and the split fails in any case.
  createLengthGuard(options.maxSourceDurationMs, track.sampleRateHz)(track.audibleEnd - track.audibleStart);
  const createSegmentTags = createTags(movie.moov, cut.maxTagBytes);
  const tags = (index: number): Buffer => createSegmentTags(index + 1, tagsAt(options, index));
  await using segments = createSegmentSequence(options, {
    extension: 'm4a',
    contentType: 'audio/mp4',
    sampleRateHz: track.sampleRateHz,
  });

  // A segment may begin inside the last frame of the previous one.
  const keptFrames = 1 + track.config.prerollFrames + maxEntryDistance(track);
  const history = createFrameHistory(keptFrames);
  const spans = planSpans(
    track,
    cut,
    (index) => maxEmptyMovieBytes(track, tags(index)),
    (readyFrame, startSample) => findEntryFrame(track, { history, readyFrame, startSample }),
  );
  let span = spans.next().value;
  let file = segments.open();
  if (span !== undefined) file.append(createSegmentMovie(track, span, tags(segments.finishedCount)));
  let frameIndex = 0;
  const { media, mediaStart } = movie;
  // For a segment without a file only the last frames are read, at which the next segment may begin.
  const neededFrom = (): number =>
    span === undefined || file.count === undefined ? 0 : span.endFrame - keptFrames;
  for await (const { run, firstFrame } of readFrames(track, { media, mediaStart, neededFrom })) {
    if (span !== undefined) file.count?.(bytesOf(track, Math.max(frameIndex, span.firstFrame), firstFrame));
    frameIndex = firstFrame;
    let index = 0;
    while (span !== undefined && index < frameCount(run)) {
      const end = Math.min(frameCount(run), index + span.endFrame - frameIndex);
      const from = Math.min(end, index + Math.max(0, span.firstFrame - frameIndex));
      file.append(framesBetween(run, from, end));
      history.add(run, index, end, frameIndex);
      frameIndex += end - index;
      index = end;
      while (span !== undefined && span.endFrame === frameIndex) {
        await segments.finish(span.endSample - span.startSample);
        span = spans.next().value;
        if (span === undefined) break;
        file = segments.open();
        file.append(createSegmentMovie(track, span, tags(segments.finishedCount)));
        for (const shared of history.frames(span.firstFrame, frameIndex)) file.append(shared);
      }
    }
    file.flush();
    media.releaseBefore(media.position);
  }
  if (span !== undefined) throw new CopyNotPossibleError('the tables promise more frames than there are');
  await reader.drain();
  return await segments.result(reader.position);
}

/** Of frames [from, to). */
function bytesOf(track: AudioTrack, from: number, to: number): number {
  let byteCount = 0;
  for (let frame = from; frame < to; frame++) byteCount += track.frameBytes(frame);
  return byteCount;
}
