import type { CutRule } from '../../cuts/cut-rule.ts';
import { segmentLimitUnreachable } from '../../media-error.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import type { AudioTrack } from './audio-track.ts';
import { frameTableBytes, type SegmentSpan } from './segment-movie.ts';

/**
 * The segments of a track. Each is known once the frames of the previous one have been read: `entryFrame`
 * returns the frame at which a decoder must begin to be ready at `readyFrame`.
 *
 * By size, `emptyMovieBytes` (the maximum size of a segment without frames, by its index) plus each frame and
 * its table entry must stay within the limit.
 */
export function* planSpans(
  track: AudioTrack,
  cut: CutRule,
  emptyMovieBytes: (index: number) => number,
  entryFrame: (readyFrame: number, startSample: number) => number,
): Generator<SegmentSpan> {
  const { frameSamples, prerollFrames } = track.config;
  const limitBytes = cut.maxSegmentBytes;
  const minRemainder = cut.minRemainderSamples(track.sampleRateHz);
  let startSample = track.audibleStart;
  for (let index = 0; startSample < track.audibleEnd; index++) {
    const readyFrame = Math.max(0, Math.floor(startSample / frameSamples) - prerollFrames);
    const firstFrame = entryFrame(readyFrame, startSample);
    let endSample = track.audibleStart + cut.endSample(track.sampleRateHz, index);
    if (track.audibleEnd - endSample < minRemainder) endSample = track.audibleEnd;
    if (!cut.isTimed) {
      const framesThatFit = countFramesThatFit(track, firstFrame, limitBytes - emptyMovieBytes(index));
      endSample = Math.min(track.audibleEnd, (firstFrame + framesThatFit) * frameSamples);
      if (endSample <= startSample && firstFrame < readyFrame)
        throw new CopyNotPossibleError('the frames that a decoder begins with leave no room');
      if (endSample <= startSample) throw segmentLimitUnreachable();
    }
    const endFrame = Math.min(track.frameCount, Math.ceil(endSample / frameSamples));
    yield { firstFrame, endFrame, startSample, endSample };
    startSample = endSample;
  }
}

function countFramesThatFit(track: AudioTrack, firstFrame: number, byteCount: number): number {
  let bytesLeft = byteCount;
  let frame = firstFrame;
  const tableBytes = frameTableBytes(track);
  for (; frame < track.frameCount; frame++) {
    bytesLeft -= track.frameBytes(frame) + tableBytes;
    if (bytesLeft < 0) break;
  }
  return frame - firstFrame;
}
