import type { Progress } from '../progress.ts';

/** The share of the work; the rest is for finishing segments and handing them out in order. */
const ENCODING_SHARE = 0.9;
/** The share of the job, if the source must first be stored on disk. */
export const RECEIVING_END = 0.3;
export const CONVERTING_END = 0.99;

/** The progress of a conversion, by the samples that encoders have taken and those that were handed out. */
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
