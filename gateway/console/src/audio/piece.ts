/** A stretch of a recording, in seconds. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}
