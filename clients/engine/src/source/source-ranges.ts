/** Offsets of the first byte and of the one behind the last. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** A source elsewhere that gives any part of itself. */
export interface SourceRanges {
  readonly sizeBytes: number;
  /** Writes the span to the same place in the file at `path`, which exists. Gives what was written: it may be more. */
  writeTo(path: string, span: ByteSpan, signal: AbortSignal): Promise<ByteSpan>;
}
