import type { Progress } from '../progress.ts';

/** Of the work; the rest is for segments being finished, and handed out in order. */
const ENCODING_SHARE = 0.9;
/** Of the job, where the source has to lie on disk first. */
export const RECEIVING_END = 0.3;
export const CONVERTING_END = 0.99;

/** How far a conversion is, by its samples: those that encoders have taken, and those that are handed out. */
export interface ConvertProgress {
  encoded(endSample: number): void;
  handedOut(endSample: number): void;
}

/** `totalSamples` is a guess that may change, or undefined while there is none. */
export function createConvertProgress(
  report: ReturnType<Progress['span']>,
  totalSamples: () => number | undefined,
): ConvertProgress {
  let encodedUpTo = 0;
  let handedOutUpTo = 0;
  function update(): void {
    report(ENCODING_SHARE * encodedUpTo + (1 - ENCODING_SHARE) * handedOutUpTo, totalSamples());
  }
  return {
    encoded(endSample) {
      encodedUpTo = Math.max(encodedUpTo, endSample);
      update();
    },
    handedOut(endSample) {
      handedOutUpTo = Math.max(handedOutUpTo, endSample);
      encodedUpTo = Math.max(encodedUpTo, endSample);
      update();
    },
  };
}
