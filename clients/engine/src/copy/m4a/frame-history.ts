import { type FrameRun, framesBetween } from '../frames/frame-run.ts';

/** Copies of the last frames read: a segment may begin with frames that the previous one ended with. */
export interface FrameHistory {
  /** Frames [from, to) of a run, the first of which is frame `firstIndex` of the track. */
  add(run: FrameRun, from: number, to: number, firstIndex: number): void;
  /** undefined if it has not been read yet, or is no longer kept. */
  frame(frameIndex: number): Buffer | undefined;
  /** Frames [from, to), all of which must be kept. */
  frames(from: number, to: number): readonly Buffer[];
}

export function createFrameHistory(capacity: number): FrameHistory {
  const kept: Buffer[] = [];
  let endIndex = 0;

  function frame(frameIndex: number): Buffer | undefined {
    const isKept = frameIndex < endIndex && frameIndex >= endIndex - capacity;
    return isKept ? kept[frameIndex % capacity] : undefined;
  }

  return {
    frame,
    frames(from, to) {
      return Array.from({ length: to - from }, (_, index) => {
        const bytes = frame(from + index);
        if (bytes === undefined) throw new Error('a frame is asked for that was not kept');
        return bytes;
      });
    },
    add(run, from, to, firstIndex) {
      for (let index = Math.max(from, to - capacity); index < to; index++)
        kept[(firstIndex + index - from) % capacity] = Buffer.from(framesBetween(run, index, index + 1));
      endIndex = firstIndex + to - from;
    },
  };
}
