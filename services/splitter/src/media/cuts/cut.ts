/**
 * Where a source is cut. A mode is one file of this folder, which turns the request's `Cut` into a `CutRule`
 * (`cut-rule.ts`); the routes that copy and convert see rules and borders only. A new mode is a member of `Cut`, a file
 * beside `duration.ts`, and a line of `create-cut-rule.ts`.
 */

/** How a source is to be cut, as the request says it: plain data. */
export type Cut =
  | { readonly mode: 'duration'; readonly segmentDurationSeconds: number }
  | { readonly mode: 'fileSize'; readonly maxFileSizeBytes: number };

export const MAX_SEGMENTS = 10_000;

/** A remainder shorter than this joins the segment before it. */
export const MIN_REMAINDER_SECONDS = 0.1;
