import type { Mp3Frame } from './walker.ts';

/**
 * A Layer III frame may begin its main data in the bytes of frames before it. The reservoir remembers enough
 * of the past to let a file begin anywhere: the last frames, and the main data that the first of them reaches
 * back into.
 */
export interface BitReservoir {
  push(frame: Mp3Frame): void;
  /** Up to `frameCount` (at most 2) last frames, and the bytes the first of them refers back to. */
  tail(frameCount: number): { readonly frames: readonly Mp3Frame[]; readonly backReference: Buffer };
}

/** `main_data_begin` has nine bits. */
const MAX_BACK_REFERENCE_BYTES = 511;
const MAX_TAIL_FRAMES = 2;
/** Remembered before forgetting starts, so that it is rare; the smallest frames hold 3 bytes of main data. */
const TRIM_AT_FRAMES = 256;

export function createBitReservoir(): BitReservoir {
  const frames: Mp3Frame[] = [];

  function trim(): void {
    let reach = 0;
    let keepFrom = frames.length - MAX_TAIL_FRAMES;
    while (keepFrom > 0 && reach < MAX_BACK_REFERENCE_BYTES) {
      keepFrom -= 1;
      const frame = frames[keepFrom];
      if (frame !== undefined) reach += frame.bytes.length - frame.mainDataOffset;
    }
    frames.splice(0, keepFrom);
  }

  return {
    push(frame) {
      frames.push(frame);
      if (frames.length > TRIM_AT_FRAMES) trim();
    },
    tail(frameCount) {
      const first = Math.max(0, frames.length - Math.min(frameCount, MAX_TAIL_FRAMES));
      const tail = frames.slice(first);
      const before = Buffer.concat(
        frames.slice(0, first).map((frame) => frame.bytes.subarray(frame.mainDataOffset)),
      );
      const wanted = tail[0]?.mainDataBegin ?? 0;
      return { frames: tail, backReference: before.subarray(Math.max(0, before.length - wanted)) };
    },
  };
}
