/** Offsets of the first byte and of the one after the last. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** A remote source that provides any part of itself. */
export interface SourceRanges {
  readonly sizeBytes: number;
  /**
   * Writes the span to the same position in the existing file at `path`. Returns the written span, which may
   * be larger.
   */
  writeTo(path: string, span: ByteSpan, signal: AbortSignal): Promise<ByteSpan>;
}
