import { CopyNotPossibleError } from '../copy-contract.ts';
import type { FrameRun } from '../frames/frame-run.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import type { AudioTrack } from './audio-track.ts';

/**
 * Yields the track's frames in order, run by run, passing over whatever lies between them. Throws
 * CopyNotPossibleError where a frame lies before its predecessor or behind the end of the source.
 */
export async function* readFrames(
  track: AudioTrack,
  media: ByteReader,
  mediaStart: number,
): AsyncGenerator<FrameRun> {
  let frameIndex = 0;
  let offsets = [0];
  let end = 0;

  /** The frames noted so far; the reader stands behind them then. */
  function takeRun(): FrameRun {
    const { window, position: windowStart } = media;
    const run = { window, windowStart, offsets, samplesPerFrame: track.config.frameSamples };
    media.consume(end);
    offsets = [0];
    end = 0;
    return run;
  }

  for (const chunk of track.chunks()) {
    const gapBytes = chunk.offset - mediaStart - media.position - end;
    if (gapBytes < 0) throw new CopyNotPossibleError('frames are not stored in order');
    if (gapBytes > 0) {
      if (end > 0) yield takeRun();
      await media.skip(gapBytes);
    }
    for (let left = chunk.frameCount; left > 0; left--) {
      const frameBytes = track.frameBytes(frameIndex);
      if (end + frameBytes > media.window.length) {
        if (end > 0) yield takeRun();
        if (!(await media.fill(frameBytes))) throw new CopyNotPossibleError('the source is cut short');
      }
      end += frameBytes;
      offsets.push(end);
      frameIndex += 1;
    }
  }
  if (end > 0) yield takeRun();
}
