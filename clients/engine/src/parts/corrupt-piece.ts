const NAME = 'CorruptPieceError';

/**
 * A piece does not decode to the samples from which it was cut: the source is damaged in a way that only a
 * decoder notices. Converting the whole source gives what the decoder can decode.
 */
export class CorruptPieceError extends Error {
  override readonly name = NAME;
}

/** Also true for an error from an engine thread, where errors lose their classes. */
export function isCorruptPiece(error: unknown): boolean {
  return error instanceof Error && error.name === NAME;
}
