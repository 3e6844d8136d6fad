import { openByteReader } from '../byte-reader.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import { createLengthGuard, maxTagBytes } from '../cut-rules.ts';
import { createSegmentSequence } from '../segment-sequence.ts';
import { readAudioTrack } from './audio-track.ts';
import { readFrames } from './frame-reader.ts';
import { locateMovie } from './locate-movie.ts';
import { createTags } from './metadata.ts';
import { createSegmentMovie, maxEmptyMovieBytes } from './segment-movie.ts';
import { planSegments } from './segment-plan.ts';

/** A segment may begin inside the last frame of the one before, with two preroll frames in front of that. */
const SHARED_FRAMES = 3;

/** Cuts AAC-LC in MP4 at the sample by duration, at the frame by size; other tracks are left out. */
export async function splitM4a(source: AsyncIterable<Uint8Array>, options: CopyOptions): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  await using movie = await locateMovie(reader, options.outputDir, options.signal);
  const track = readAudioTrack(movie.moov);
  // The tables may lie, but then a frame is missing and the split fails in any case.
  createLengthGuard(options.maxSourceDurationMs, track.sampleRateHz)(track.audibleEnd - track.audibleStart);
  const tags = createTags(movie.moov, maxTagBytes(cut));
  await using segments = createSegmentSequence(options, {
    extension: 'm4a',
    contentType: 'audio/mp4',
    sampleRateHz: track.sampleRateHz,
  });

  const spans = planSegments(track, cut, (index) => maxEmptyMovieBytes(track, tags(index + 1)));
  let span = spans.next().value;
  let file = await segments.open();
  if (span !== undefined) file.append(createSegmentMovie(track, span, tags(segments.finishedCount + 1)));
  let frameIndex = 0;
  let recent: Buffer[] = [];
  for await (const frames of readFrames(track, movie.media, movie.mediaStart)) {
    for (const frame of frames) {
      if (span === undefined) break;
      recent = [...recent.slice(1 - SHARED_FRAMES), frame];
      if (frameIndex >= span.firstFrame) file.append(frame);
      frameIndex += 1;
      while (span !== undefined && span.endFrame === frameIndex) {
        await segments.finish(span.endSample - span.startSample);
        span = spans.next().value;
        if (span === undefined) break;
        file = await segments.open();
        file.append(createSegmentMovie(track, span, tags(segments.finishedCount + 1)));
        for (const shared of recent.slice(span.firstFrame - frameIndex)) file.append(shared);
      }
    }
    await file.flush();
  }
  await reader.drain();
  return segments.result(reader.position);
}
