/**
 * What a mutator knows of a format: where its fields and parts lie, and how checksums are put right. Both are
 * found in any bytes, damaged ones above all, by readers of the fuzzer's own: they must not share the faults of
 * those under test.
 */
export interface Field {
  readonly at: number;
  readonly byteCount: number;
  readonly order: 'big' | 'little' | 'syncsafe';
  /** The part of the source whose length the field states. */
  readonly covers?: Part;
}

export interface Part {
  readonly start: number;
  readonly end: number;
}

export interface Anatomy {
  readonly fields: readonly Field[];
  /** Frames, pages, boxes, chunks: what is dropped, doubled and swapped as a whole. */
  readonly parts: readonly Part[];
}

/** An anatomy while it is read. */
export interface GrowingAnatomy {
  readonly fields: Field[];
  readonly parts: Part[];
}

export interface Grammar {
  describe(source: Buffer): Anatomy;
  /** Sets checksums to what the bytes give; formats without any do nothing. */
  repair(source: Buffer): void;
  /** Bytes that mean something to the format. */
  readonly words: readonly Buffer[];
}

const SYNCSAFE_BASE = 128;

export function readField(source: Buffer, { at, byteCount, order }: Field): number {
  let value = 0;
  for (let index = 0; index < byteCount; index++) {
    const position = order === 'little' ? at + byteCount - 1 - index : at + index;
    value = value * (order === 'syncsafe' ? SYNCSAFE_BASE : 256) + (source[position] ?? 0);
  }
  return value;
}

/** Keeps the low bytes of `value`, which may be negative. */
export function writeField(source: Buffer, { at, byteCount, order }: Field, value: number): void {
  const base = order === 'syncsafe' ? SYNCSAFE_BASE : 256;
  let rest = value;
  for (let index = 0; index < byteCount; index++) {
    const position = order === 'little' ? at + index : at + byteCount - 1 - index;
    const low = ((rest % base) + base) % base;
    if (position < source.length) source[position] = low;
    rest = Math.floor((rest - low) / base);
  }
}

export function words(...texts: readonly string[]): readonly Buffer[] {
  return texts.map((text) => Buffer.from(text, 'latin1'));
}
