import type { SegmentEnd } from '../cut-request.ts';

/** A planned segment. Positions in seconds from the source's first audible sample. */
export interface Piece {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly endKind: SegmentEnd;
  readonly title?: string | undefined;
  /** The cut with which it begins, if the file begins before it (`overlap`). */
  readonly contentStartSeconds?: number;
}

/** A stretch of the source. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export function contentSeconds({ contentStartSeconds, startSeconds, endSeconds }: Piece): number {
  return endSeconds - (contentStartSeconds ?? startSeconds);
}
