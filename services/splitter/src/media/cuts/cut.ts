/** How a source is to be cut, as the request says it. */
export type Cut =
  | { readonly mode: 'duration'; readonly segmentDurationSeconds: number }
  | { readonly mode: 'fileSize'; readonly maxFileSizeBytes: number };

export const MAX_SEGMENTS = 10_000;

/** A remainder shorter than this joins the segment before it. */
export const MIN_REMAINDER_SECONDS = 0.1;
