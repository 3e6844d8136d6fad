/** Places in a source from which a decoder can be fed, by what they sound like: the time of the first sample that it gives. */
import { unsupportedMedia } from '../media-error.ts';

export interface FramePlace {
  /** From the first audible sample; below 0 within the encoder's delay. */
  readonly seconds: number;
  readonly byte: number;
}

export interface FrameIndex {
  /** What a decoder needs of the source's beginning, wherever it is to go on. */
  readonly headBytes: number;
  readonly lengthSeconds: number;
  /** The last place that is not behind `seconds`; the first of all where there is none. */
  placeBefore(seconds: number): FramePlace;
  /** The first place that is not before `seconds`; the end where there is none. */
  placeAfter(seconds: number): FramePlace;
}

/** `places` in order, the end of the source among them. Throws UNSUPPORTED_MEDIA where there is no other. */
export function createFrameIndex(places: readonly FramePlace[], headBytes = 0): FrameIndex {
  const end = places.at(-1);
  if (end === undefined || places.length < 2) throw unsupportedMedia('The source holds no frames.');

  /** How many places lie before `seconds`. */
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
