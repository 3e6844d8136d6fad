import { CopyNotPossibleError } from '../copy-contract.ts';
import type { FrameRun } from '../frames/frame-run.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import type { AudioTrack } from './audio-track.ts';

export interface FrameReaderOptions {
  readonly media: ByteReader;
  /** The position in the source where the reader began. */
  readonly mediaStart: number;
  /**
   * Called after each run: frames before the returned one need not be read. The track's last frame must be.
   */
  readonly neededFrom: () => number;
}

interface NumberedRun {
  readonly run: FrameRun;
  readonly firstFrame: number;
}

/**
 * Yields the track's frames in order, in runs. Skips bytes between them and frames that are not needed.
 * Throws CopyNotPossibleError if a frame is stored before its predecessor or extends beyond the end of the
 * source.
 */
export async function* readFrames(
  track: AudioTrack,
  { media, mediaStart, neededFrom }: FrameReaderOptions,
): AsyncGenerator<NumberedRun> {
  let frameIndex = 0;
  let offsets = [0];
  let end = 0;
  /** The position in the source where the frames noted or skipped so far end. */
  let behind = mediaStart + media.position;
  let firstNeeded = neededFrom();

  /** The frames noted so far; the reader is then positioned after them. */
  function takeRun(): NumberedRun {
    const { window, position: windowStart } = media;
    const run = { window, windowStart, offsets, samplesPerFrame: track.config.frameSamples };
    const firstFrame = frameIndex - (offsets.length - 1);
    media.consume(end);
    offsets = [0];
    end = 0;
    return { run, firstFrame };
  }

  for (const chunk of track.chunks()) {
    if (chunk.offset < behind) throw new CopyNotPossibleError('frames are not stored in order');
    behind = chunk.offset;
    for (let left = chunk.frameCount; left > 0; left--) {
      const frameBytes = track.frameBytes(frameIndex);
      const gapBytes = behind - mediaStart - media.position - end;
      if (end > 0 && (gapBytes > 0 || end + frameBytes > media.window.length)) {
        yield takeRun();
        firstNeeded = neededFrom();
      }
      if (end > 0 || frameIndex >= firstNeeded) {
        if (gapBytes > 0) await media.skip(gapBytes);
        if (!(await media.fill(end + frameBytes))) throw new CopyNotPossibleError('the source is cut short');
        end += frameBytes;
        offsets.push(end);
      }
      behind += frameBytes;
      frameIndex += 1;
    }
  }
  if (end > 0) yield takeRun();
}
