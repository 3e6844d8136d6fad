/**
 * Positions in a source from which a decoder can be fed, by the time of the first sample that it then
 * returns.
 */
import { unsupportedMedia } from '../media-error.ts';

export interface FramePlace {
  /** Counted from the first audible sample; below 0 within the encoder's delay. */
  readonly seconds: number;
  readonly byte: number;
}

export interface FrameIndex {
  /** The bytes at the source's beginning that a decoder always needs first. */
  readonly headBytes: number;
  readonly lengthSeconds: number;
  /** The last place at or before `seconds`; the first place if there is none. */
  placeBefore(seconds: number): FramePlace;
  /** The first place at or after `seconds`; the end if there is none. */
  placeAfter(seconds: number): FramePlace;
}

/** `places` are in order and include the source's end. Throws UNSUPPORTED_MEDIA if there is no other. */
export function createFrameIndex(places: readonly FramePlace[], headBytes = 0): FrameIndex {
  const end = places.at(-1);
  if (end === undefined || places.length < 2) throw unsupportedMedia('The source holds no frames.');

  /** The number of places before `seconds`. */
  function countBefore(seconds: number): number {
    let low = 0;
    for (let high = places.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((places[middle]?.seconds ?? 0) < seconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    headBytes,
    lengthSeconds: end.seconds,
    placeBefore: (seconds) => places[Math.max(0, countBefore(seconds) - 1)] ?? end,
    placeAfter: (seconds) => places[countBefore(seconds)] ?? end,
  };
}
