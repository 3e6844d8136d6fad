import type { ByteReader } from '../byte-reader.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import type { AudioTrack } from './audio-track.ts';

/**
 * Yields the track's frames in order, several at a time, passing over whatever lies between them. Throws
 * CopyNotPossibleError where a frame lies before its predecessor or behind the end of the source.
 */
export async function* readFrames(
  track: AudioTrack,
  media: ByteReader,
  mediaStart: number,
): AsyncGenerator<readonly Buffer[]> {
  let frames: Buffer[] = [];
  let frameIndex = 0;
  for (const offset of track.frameOffsets()) {
    const gapBytes = offset - mediaStart - media.position;
    const frameBytes = track.frameBytes(frameIndex);
    if (gapBytes < 0) throw new CopyNotPossibleError('frames are not stored in order');
    if (media.window.length < gapBytes + frameBytes) {
      if (frames.length > 0) yield frames;
      frames = [];
    }
    if (!(await isReady(media, gapBytes, frameBytes)))
      throw new CopyNotPossibleError('the source is cut short');
    frames.push(media.window.subarray(0, frameBytes));
    media.consume(frameBytes);
    frameIndex += 1;
  }
  if (frames.length > 0) yield frames;
}

function isReady(media: ByteReader, gapBytes: number, frameBytes: number): Promise<boolean> | boolean {
  if (media.window.length >= gapBytes + frameBytes) {
    if (gapBytes > 0) media.consume(gapBytes);
    return true;
  }
  return media.skip(gapBytes).then((isThere) => isThere && media.fill(frameBytes));
}
