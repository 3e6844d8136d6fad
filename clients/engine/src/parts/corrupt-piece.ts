const NAME = 'CorruptPieceError';

/**
 * A piece does not decode to the samples that it was cut from: the source is damaged in a way that only a decoder notices.
 * Converted whole, it gives what the decoder makes of it.
 */
export class CorruptPieceError extends Error {
  override readonly name = NAME;
}

/** Also when it comes out of an engine thread, which errors leave without their classes. */
export function isCorruptPiece(error: unknown): boolean {
  return error instanceof Error && error.name === NAME;
}
